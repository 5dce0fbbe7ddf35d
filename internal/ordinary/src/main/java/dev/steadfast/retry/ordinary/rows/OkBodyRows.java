package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.H2Server;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.WireServer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import okhttp3.FormBody;
import okhttp3.Headers;
import okhttp3.MultipartBody;
import okhttp3.Protocol;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.ByteString;
import okio.GzipSink;
import okio.Okio;

/** Every kind of request body of OkHttp, at the lengths at which something may change. */
final class OkBodyRows {
  private static final int[] LENGTHS = {0, 1, 65_535, 65_536, 65_537, 10 << 20};

  private OkBodyRows() {}

  static List<Row> rows() {
    return Stream.of(lengths(), kinds(), closing(), closed(), streams())
        .flatMap(rows -> rows)
        .toList();
  }

  private static Row row(String name, Supplier<RequestBody> body) {
    return Row.named("body: " + name)
        .answers(exchange -> exchange.reply(201, "made"))
        .okHttp(client -> client.call(client.request("/").post(body.get()).build()));
  }

  private static Stream<Row> lengths() {
    return java.util.Arrays.stream(LENGTHS)
        .boxed()
        .flatMap(length -> {
          byte[] bytes = Bodies.bytes(length);
          return Stream.of(
              row(length + " bytes of an array", () -> RequestBody.create(bytes, Bodies.BINARY)),
              row(
                  length + " bytes, known length, written",
                  () -> Bodies.writing(length, sink -> sink.write(bytes))),
              row(
                  length + " bytes of unknown length",
                  () -> Bodies.writing(sink -> sink.write(bytes))),
              row(
                  length + " bytes that can be sent once",
                  () -> Bodies.once(sink -> sink.write(bytes))));
        });
  }

  private static Stream<Row> kinds() {
    byte[] large = Bodies.bytes(100_000);
    return Stream.of(
        row("of a text", () -> RequestBody.create("h\u00e9llo", Bodies.TEXT)),
        row("of a text without a type", () -> RequestBody.create("hello", null)),
        row("of a byte string", () -> RequestBody.create(ByteString.of(large), Bodies.BINARY)),
        row("of a part of an array", () -> RequestBody.create(large, Bodies.BINARY, 10, 99)),
        row("of a file", () -> RequestBody.create(file(large), Bodies.BINARY)),
        row("of a small file", () -> RequestBody.create(file(Bodies.bytes(9)), Bodies.BINARY)),
        row("of a form", () -> form("value")),
        row("of a large form", () -> form("value".repeat(20_000))),
        row("multipart", () -> multipart(RequestBody.create("text", Bodies.TEXT))),
        row(
            "multipart with a large part",
            () -> multipart(RequestBody.create(large, Bodies.BINARY))),
        row(
            "multipart with a part of unknown length",
            () -> multipart(Bodies.writing(sink -> sink.write(large)))),
        row(
            "multipart with a part that can be sent once",
            () -> multipart(Bodies.once(sink -> sink.write(large)))),
        row("copied from a source", () -> Bodies.writing(Bodies.copying(large))),
        row(
            "flushed after each write",
            () ->
                Bodies.writing(sink -> {
                  for (int i = 0; i < 100; i++) {
                    sink.writeUtf8("line " + i + "\n").flush();
                  }
                })),
        row(
            "through buffer(), outputStream() and emit()",
            () ->
                Bodies.writing(sink -> {
                  sink.getBuffer().writeUtf8("one");
                  sink.emitCompleteSegments();
                  sink.outputStream().write(large);
                  sink.emit();
                  sink.writeDecimalLong(12).writeHexadecimalUnsignedLong(0xabc).writeInt(7);
                  sink.write(new Buffer().writeUtf8("end"), 3);
                })));
  }

  private static Stream<Row> closing() {
    byte[] small = "small".getBytes(StandardCharsets.UTF_8);
    byte[] large = Bodies.bytes(100_000);
    return Stream.of(
        row("gzip stream that closes the sink, small", () -> Bodies.writing(Bodies.gzipped(small))),
        row("gzip stream that closes the sink, large", () -> Bodies.writing(Bodies.gzipped(large))),
        row("gzip stream that closes the sink, once", () -> Bodies.once(Bodies.gzipped(large))),
        row("writer that closes the sink", () -> Bodies.writing(Bodies.asText("text"))),
        row(
            "writer that closes the sink, known length",
            () -> Bodies.writing(4, Bodies.asText("text"))),
        row(
            "writer that closes the sink, known length of more than 64 KiB",
            () -> Bodies.writing(70_000, Bodies.asText("x".repeat(70_000)))),
        row(
            "gzip sink of Okio, closed",
            () ->
                Bodies.writing(sink -> {
                  try (var gzip = Okio.buffer(new GzipSink(sink))) {
                    gzip.write(large);
                  }
                })));
  }

  private static Stream<Row> closed() {
    Function<String, Bodies.Writes> closes = text -> sink -> sink.writeUtf8(text).close();
    Function<String, Bodies.Writes> closesTwice =
        text ->
            sink -> {
              sink.writeUtf8(text).close();
              sink.close();
            };
    Function<String, Bodies.Writes> writesOn =
        text ->
            sink -> {
              sink.writeUtf8(text).close();
              sink.writeUtf8(text).flush();
            };
    Function<String, Bodies.Writes> fails =
        text ->
            sink -> {
              sink.writeUtf8(text).close();
              throw new IOException("too late");
            };
    Function<String, Bodies.Writes> tooEarly =
        text -> sink -> sink.writeUtf8(text.substring(1)).close();
    return Stream.of(Protocol.HTTP_1_1, Protocol.H2_PRIOR_KNOWLEDGE)
        .flatMap(protocol ->
            Stream.of(
                closed("sinks that bodies close, " + protocol, protocol, closes, closesTwice),
                closed("closed sinks that fail, " + protocol, protocol, writesOn, fails, tooEarly)
                    .policies(Policy.ONCE)
                    .unordered()
                    .withoutServer()));
  }

  /** Short and long, with a length and without, to be sent once or again. */
  @SafeVarargs
  private static Row closed(
      String name, Protocol protocol, Function<String, Bodies.Writes>... bodies) {
    return Row.named("body: " + name)
        .server(() ->
            protocol == Protocol.HTTP_1_1
                ? WireServer.start(exchange -> exchange.reply(201, "made"))
                : H2Server.priorKnowledge(request -> H2Server.text(201, "made")))
        .okHttpClient((builder, run) -> builder.protocols(List.of(protocol)))
        .okHttp(client -> {
          for (Function<String, Bodies.Writes> body : bodies) {
            for (String text : List.of("text", "x".repeat(80_000))) {
              for (long length : new long[] {-1, text.length()}) {
                for (boolean once : new boolean[] {false, true}) {
                  client.call(
                      client
                          .request("/")
                          .post(Bodies.writing(length, once, body.apply(text)))
                          .build());
                }
              }
            }
          }
        });
  }

  private static Stream<Row> streams() {
    byte[] large = Bodies.bytes(300_000);
    return Stream.of(
        row(
            "source read once, though the body does not say so",
            () -> {
              Buffer source = new Buffer().write(large);
              return Bodies.writing(sink -> sink.writeAll(source));
            }),
        row("1 MiB of zeros from a stream", () -> zeros(1 << 20)),
        row("200 MiB of zeros from a stream", () -> zeros(200 << 20))
            .policies(Policy.DEFAULTS)
            .slow());
  }

  private static RequestBody zeros(long length) {
    return Bodies.once(sink -> {
      try (var source = Okio.source(Bodies.zeros(length))) {
        sink.writeAll(source);
      }
    });
  }

  static RequestBody form(String value) {
    return new FormBody.Builder().add("a", value).add("b c", "\u00e9&=").build();
  }

  static RequestBody multipart(RequestBody part) {
    return new MultipartBody.Builder("boundary")
        .setType(MultipartBody.FORM)
        .addFormDataPart("field", "value")
        .addFormDataPart("file", "name.bin", part)
        .addPart(Headers.of("X-Part", "1"), RequestBody.create("last", null))
        .build();
  }

  private static File file(byte[] bytes) {
    try {
      File file = File.createTempFile("ordinary", ".bin");
      file.deleteOnExit();
      Files.write(file.toPath(), bytes);
      return file;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
