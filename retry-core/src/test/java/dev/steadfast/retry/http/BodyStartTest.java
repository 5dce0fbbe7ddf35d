package dev.steadfast.retry.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The part of a response body that belongs to the attempt. */
class BodyStartTest {
  private static final String EVENTS = "text/event-stream; charset=utf-8";
  private static final StandardRules RULES =
      StandardRules.builder().refusedBy(200, "overloaded_error").refusedBy(529, "busy").build();

  private static @Nullable BodyStart start(TestResponse head, long length) {
    HttpOperation operation =
        HttpRetry.builder()
            .bufferBodiesUpTo(4)
            .classifier(RULES)
            .build()
            .operation(TestRequest.of("GET"), RetryOptions.none());
    return BodyStart.of(operation, head, length, false);
  }

  private static InputStream body(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static InputStream breaking(String text) {
    InputStream end =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("reset");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            return read();
          }
        };
    return new SequenceInputStream(body(text), end);
  }

  @Test
  void aShortBodyIsReadWhole_aLongerOneUpToOneByteMore() throws IOException {
    BodyStart whole = start(TestResponse.of(200), -1);
    assertArrayEquals("four".getBytes(UTF_8), whole.read(body("four")));
    assertTrue(whole.isWhole());
    BodyStart longer = start(TestResponse.of(200), -1);
    assertEquals(4, longer.mostBytes());
    assertArrayEquals("fives".getBytes(UTF_8), longer.read(body("fives")));
    assertFalse(longer.isWhole());
  }

  @Test
  void whatSaysThatItIsLonger_andStreams_areTheCallers() {
    assertNull(start(TestResponse.of(200), 5));
    assertNull(start(TestResponse.of(200).header("Content-Type", "application/x-ndjson"), -1));
    assertNull(start(TestResponse.of(201).header("Content-Type", EVENTS), -1));
    assertNull(start(TestResponse.of(503), 4), "no rule reads it");
  }

  @Test
  void aStreamOfEventsIsReadUpToItsFirst() throws IOException {
    BodyStart start = start(TestResponse.of(200).header("Content-Type", EVENTS), -1);
    assertTrue(start.awaitsEvent());
    start.read(body(": hi\n\nevent: error\ndata: {\"error\":1}\n\ndata: more\n\n"));
    assertEquals("{\"error\":1}", start.errorEvent());
    assertFalse(start.isWhole());
  }

  @Test
  void anEncodedStreamIsTheCallers_unlessItWasDecompressed() {
    TestResponse head =
        TestResponse.of(200).header("Content-Type", EVENTS).header("Content-Encoding", "br");
    assertNull(start(head, -1));
    HttpOperation operation =
        HttpRetry.builder()
            .classifier(RULES)
            .build()
            .operation(TestRequest.of("GET"), RetryOptions.none());
    assertNotNull(BodyStart.of(operation, head, -1, true));
  }

  @Test
  void aBrokenBodyDoesNotHideTheHeadOfAFailure() throws IOException {
    BodyStart failure = start(TestResponse.of(529), -1);
    assertFalse(failure.isNeeded());
    assertArrayEquals("ha".getBytes(UTF_8), failure.read(breaking("ha")));
    assertFalse(failure.isWhole());
    BodyStart success = start(TestResponse.of(200), -1);
    assertThrows(IOException.class, () -> success.read(breaking("ha")));
  }
}
