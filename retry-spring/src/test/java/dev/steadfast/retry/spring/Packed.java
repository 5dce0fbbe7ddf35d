package dev.steadfast.retry.spring;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** Texts as a server packs them. */
final class Packed {
  private interface Packer {
    OutputStream around(OutputStream packed) throws IOException;
  }

  private Packed() {}

  static byte[] gzip(String text) {
    return packed(text, GZIPOutputStream::new);
  }

  static byte[] deflate(String text) {
    return packed(text, DeflaterOutputStream::new);
  }

  private static byte[] packed(String text, Packer packer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream packing = packer.around(bytes)) {
      packing.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }
}
