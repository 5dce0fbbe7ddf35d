package dev.steadfast.retry.internal;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip whose bytes come in pieces, as far as they have come. Only the first member of
 * a file of several is read. Confined to one thread at a time.
 */
final class GzipPieces {
  private static final int FIXED_HEADER = 10;
  private static final int HAS_CHECKSUM = 2;
  private static final int HAS_EXTRA = 4;
  private static final int HAS_NAME = 8;
  private static final int HAS_COMMENT = 16;

  private final Inflater inflater = new Inflater(true);
  private byte[] header = {}; // what has come of it
  private boolean begun; // the header is over

  /**
   * Takes a piece.
   *
   * @param most how many bytes are wanted at most
   * @return what it adds, perhaps nothing
   * @throws DataFormatException if it is not gzip
   */
  byte[] take(byte[] piece, int most) throws DataFormatException {
    byte[] packed = begun ? piece : afterHeader(piece);
    if (!begun) {
      return packed;
    }
    inflater.setInput(packed);
    ByteArrayOutputStream unpacked = new ByteArrayOutputStream();
    byte[] some = new byte[1024];
    int count = -1;
    while (count != 0 && unpacked.size() < most) {
      count = inflater.inflate(some, 0, Math.min(some.length, most - unpacked.size()));
      unpacked.write(some, 0, count);
    }
    return unpacked.toByteArray();
  }

  /** Whether nothing more comes. */
  boolean finished() {
    return inflater.finished();
  }

  /** Frees what it holds. */
  void close() {
    inflater.end();
  }

  private byte[] afterHeader(byte[] piece) throws DataFormatException {
    int before = header.length;
    header = Arrays.copyOf(header, before + piece.length);
    System.arraycopy(piece, 0, header, before, piece.length);
    int length = headerLength();
    begun = length >= 0;
    return begun ? Arrays.copyOfRange(header, length, header.length) : new byte[0];
  }

  /** The length of the header, -1 if not all of it is here. */
  private int headerLength() throws DataFormatException {
    byte[] magic = {0x1f, (byte) 0x8b, 8};
    for (int i = 0; i < Math.min(magic.length, header.length); i++) {
      if (header[i] != magic[i]) {
        throw new DataFormatException("no gzip");
      }
    }
    if (header.length < FIXED_HEADER) {
      return -1;
    }
    int flags = header[3];
    int at = FIXED_HEADER;
    if ((flags & HAS_EXTRA) != 0) {
      at += header.length < at + 2 ? header.length : 2 + (byteAt(at) | byteAt(at + 1) << 8);
    }
    at = (flags & HAS_NAME) == 0 ? at : afterZero(at);
    at = (flags & HAS_COMMENT) == 0 ? at : afterZero(at);
    at += (flags & HAS_CHECKSUM) == 0 ? 0 : 2;
    return at <= header.length ? at : -1;
  }

  private int byteAt(int at) {
    return header[at] & 0xff;
  }

  private int afterZero(int from) {
    int at = from;
    while (at < header.length && header[at] != 0) {
      at++;
    }
    return at + 1; // beyond what has come, if there is no zero
  }
}
