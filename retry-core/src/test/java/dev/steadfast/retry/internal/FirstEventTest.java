package dev.steadfast.retry.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FirstEventTest {
  private static final String TYPE = "text/event-stream";
  private static final String ERROR =
      "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}";

  /** What is known of a stream: the error, "content", or "nothing" if more bytes are needed. */
  private static String known(FirstEvent event, byte[] bytes, int... cuts) {
    int from = 0;
    for (int cut : cuts) {
      if (event.take(ByteBuffer.wrap(bytes, from, cut - from))) {
        return event.error() == null ? "content" : event.error();
      }
      from = cut;
    }
    boolean known = event.take(ByteBuffer.wrap(bytes, from, bytes.length - from));
    String error = event.error();
    return error != null ? error : known ? "content" : "nothing";
  }

  private static FirstEvent plain() {
    return FirstEvent.of(List.of(TYPE), List.of());
  }

  private static FirstEvent packed() {
    return FirstEvent.of(List.of(TYPE), List.of("gzip"));
  }

  private static String known(String stream) {
    return known(plain(), stream.getBytes(UTF_8));
  }

  private static byte[] gzip(String text) {
    return gzip(text.getBytes(UTF_8), true);
  }

  private static byte[] gzip(byte[] text, boolean ended) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      GZIPOutputStream gzip = new GZIPOutputStream(out, 512, true);
      gzip.write(text);
      if (ended) {
        gzip.close();
      } else {
        gzip.flush();
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return out.toByteArray();
  }

  @Test
  void contentIsTheFirstEvent() {
    assertEquals("content", known("data: {\"choices\":[]}\n\n"));
    assertEquals("content", known("data: any\n\n"));
    assertEquals("content", known("data\n\n"), "data without a value is an event");
    assertEquals("content", known("event: content_block_start\ndata: {}\n\n"));
    assertEquals("content", known("data: {\"error\":null,\"choices\":[]}\n\n"));
    assertEquals("content", known("data: {\"error\":\"\"}\n\n"));
    assertEquals("content", known("data: {\"a\":{\"error\":{\"type\":\"x\"}}}\n\n"), "not its own");
    assertEquals("content", known("data: [DONE]\n\n"));
  }

  @Test
  void anErrorIsTheFirstEvent() {
    assertEquals(ERROR, known("event: error\ndata: " + ERROR + "\n\n"));
    assertEquals(ERROR, known("data: " + ERROR + "\n\n"), "by its type");
    assertEquals("busy", known("event: error\ndata: busy\n\n"), "by its name");
    assertEquals("{\"error\":{}}", known("data: {\"error\":{}}\n\n"), "by its member");
    assertEquals("{\"error\":\"busy\"}", known("data:{\"error\":\"busy\"}\n\n"));
    assertEquals(
        "{\"type\":\"response.failed\"}", known("data: {\"type\":\"response.failed\"}\n\n"));
    assertEquals(
        "{\n\"error\":\n{}}", known("data: {\ndata: \"error\":\ndata: {}}\n\n"), "in lines");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ": comment\n\n",
        "\n\n\n",
        "retry: 100\nid: 7\n\n",
        "event: error\n\n",
        "event: ping\ndata: {}\n\n",
        "data: {\"type\": \"ping\"}\n\n",
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n",
        "event: response.created\ndata: {\"response\":{\"error\":null}}\n\n",
        "event: response.queued\ndata: {}\n\n",
        "event: response.in_progress\ndata: {}\n\n",
        "data: {\"choices\":[]}\n",
        "event: error\ndata: {\"error\":{}}",
      })
  void othersAreNot(String stream) {
    assertEquals("nothing", known(stream));
  }

  @Test
  void whatComesBeforeIsPassedOver() {
    String before =
        "\uFEFF: hello\r\n\r\nevent: message_start\rdata: {}\r\revent: ping\ndata: {}\n\n:\n\n";
    assertEquals(ERROR, known(before + "event: error\ndata: " + ERROR + "\n\n"));
    assertEquals("content", known(before + "data: text\n\nevent: error\ndata: late\n\n"));
  }

  @Test
  void anEventNeedsNoBlankLineAtTheEnd() {
    for (String end : List.of("", "\n", "\r\n")) {
      FirstEvent event = plain();
      assertEquals("nothing", known(event, ("event: error\ndata: busy" + end).getBytes(UTF_8)));
      event.end();
      assertEquals("busy", event.error(), "end=" + end.length());
    }
    FirstEvent none = plain();
    none.end();
    assertNull(none.error());
  }

  @Test
  void onlyEventStreamsThatCanBeReadAreWaitedFor() {
    assertNull(FirstEvent.of(List.of(), List.of()));
    assertNull(FirstEvent.of(List.of("application/json"), List.of()));
    assertNull(FirstEvent.of(List.of("application/x-ndjson"), List.of()));
    assertNull(FirstEvent.of(List.of(TYPE, TYPE), List.of()));
    assertNull(FirstEvent.of(List.of(TYPE), List.of("br")));
    assertNull(FirstEvent.of(List.of(TYPE), List.of("gzip, gzip")));
    for (String encoding : List.of("identity", "GZIP", "x-gzip")) {
      assertFalse(
          FirstEvent.of(List.of("Text/Event-Stream; charset=utf-8"), List.of(encoding)) == null);
    }
  }

  @Test
  void sixtyFourKibibytesAreWaitedForAndNoMore() {
    byte[] comments = ":\n".repeat(FirstEvent.MOST_BYTES / 2).getBytes(UTF_8);
    assertEquals("nothing", known(plain(), Arrays.copyOf(comments, comments.length - 1)));
    assertEquals("content", known(plain(), comments));
    byte[] line = ("data: " + "x".repeat(200_000)).getBytes(UTF_8);
    assertEquals("content", known(plain(), line));
    String error = ":".repeat(FirstEvent.MOST_BYTES - 20) + "\nevent: error\ndata: late\n\n";
    assertEquals("content", known(error), "the error ends too late");
  }

  @Test
  void gzipIsUnpackedAsItComes() {
    String stream = ": hello\n\nevent: error\ndata: " + ERROR + "\n\n";
    assertEquals(ERROR, known(packed(), gzip(stream)));
    assertEquals(ERROR, known(packed(), gzip(stream.getBytes(UTF_8), false)));
    assertEquals("nothing", known(packed(), gzip(": hello\n\n".getBytes(UTF_8), false)));
    assertEquals("content", known(packed(), gzip(": hello\n\n")), "nothing comes after it");
    assertEquals("busy", known(packed(), gzip("event: error\ndata: busy")));
    assertEquals("content", known(packed(), stream.getBytes(UTF_8)), "no gzip at all");
    byte[] broken = gzip(stream);
    broken[10] = -1; // a kind of block that does not exist
    assertEquals("content", known(packed(), broken));
    assertEquals("content", known(packed(), gzip(": ".repeat(5_000_000))), "a bomb");
  }

  @Test
  void everyHeaderOfGzipIsRead() {
    byte[] simple = gzip("event: error\ndata: busy\n\n");
    for (int flags = 0; flags < 32; flags++) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.write(simple, 0, 3);
      all.write(flags);
      all.write(simple, 4, 6);
      all.writeBytes((flags & 4) == 0 ? new byte[0] : new byte[] {3, 0, 9, 0, 9});
      all.writeBytes((flags & 8) == 0 ? new byte[0] : new byte[] {'n', 0});
      all.writeBytes((flags & 16) == 0 ? new byte[0] : new byte[] {'c', 'c', 0});
      all.writeBytes((flags & 2) == 0 ? new byte[0] : new byte[] {1, 2});
      all.write(simple, 10, simple.length - 10);
      byte[] bytes = all.toByteArray();
      assertEquals("busy", known(packed(), bytes), "flags " + flags);
      assertEquals("busy", byteByByte(packed(), bytes), "flags " + flags);
    }
  }

  private static String byteByByte(FirstEvent event, byte[] bytes) {
    int[] cuts = new int[bytes.length];
    Arrays.setAll(cuts, i -> i);
    return known(event, bytes, cuts);
  }

  /** Random streams, cut at every byte and in random pieces: always the same as in one piece. */
  @Test
  void cutsChangeNothing() {
    Random random = new Random(20261126);
    int[] seen = new int[3];
    for (int round = 0; round < 500; round++) {
      String stream = randomStream(random);
      byte[] bytes = stream.getBytes(UTF_8);
      String whole = known(plain(), bytes);
      assertEquals(Reference.of(stream), whole, stream);
      seen[whole.equals("content") ? 0 : whole.equals("nothing") ? 1 : 2]++;
      for (int cut = 0; cut <= bytes.length; cut++) {
        assertEquals(whole, known(plain(), bytes, cut), stream);
      }
      assertEquals(whole, byteByByte(plain(), bytes), stream);
      byte[] gzip = gzip(bytes, false);
      assertEquals(whole, known(packed(), gzip), stream);
      assertEquals(whole, known(packed(), gzip, random.nextInt(gzip.length)), stream);
      assertEquals(whole, byteByByte(packed(), gzip), stream);
    }
    assertTrue(Arrays.stream(seen).allMatch(each -> each > 50), Arrays.toString(seen));
  }

  private static String randomStream(Random random) {
    List<String> lines =
        List.of(
            "",
            "",
            "",
            ": x",
            ":",
            "event: error",
            "event: ping",
            "event:",
            "data: a",
            "data",
            "data:{\"error\":{}}",
            "data: {\"type\":\"ping\"}",
            "data: \u00e4\u20ac\ud83d\ude00",
            "id: 1",
            "unknown: data: x",
            "datax: y",
            "event: message_start");
    List<String> ends = List.of("\n", "\r", "\r\n");
    StringBuilder stream = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
    String usual = ends.get(random.nextInt(3));
    boolean mixed = random.nextInt(3) == 0;
    for (int i = random.nextInt(12); i >= 0; i--) {
      stream.append(lines.get(random.nextInt(lines.size())));
      stream.append(mixed ? ends.get(random.nextInt(3)) : usual);
    }
    return stream.toString();
  }

  /** The same, found in another way: the whole text is split. */
  private static final class Reference {
    static String of(String stream) {
      String text = stream.startsWith("\uFEFF") ? stream.substring(1) : stream;
      String lines = text.replace("\r\n", "\n").replace('\r', '\n');
      int from = 0;
      String name = "";
      String data = null;
      for (int end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', from)) {
        String line = lines.substring(from, end);
        from = end + 1;
        if (line.isEmpty() && data != null) {
          String told = told(name, data);
          if (told != null) {
            return told;
          }
        }
        if (line.isEmpty()) {
          name = "";
          data = null;
        } else if (line.matches("event(:.*)?")) {
          name = line.substring(Math.min(line.length(), 6)).stripLeading();
        } else if (line.matches("data(:.*)?")) {
          String value = line.substring(Math.min(line.length(), 5)).stripLeading();
          data = data == null ? value : data + "\n" + value;
        }
      }
      return "nothing";
    }

    private static String told(String name, String lines) {
      String data = lines.strip();
      if (name.equals("error") || data.startsWith("{\"error\"")) {
        return lines;
      }
      boolean early =
          name.equals("ping")
              || name.equals("message_start")
              || (name.isEmpty() && data.startsWith("{\"type\":\"ping\"}"));
      return early ? null : "content";
    }
  }
}
