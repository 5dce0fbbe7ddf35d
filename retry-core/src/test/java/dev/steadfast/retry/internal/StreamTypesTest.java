package dev.steadfast.retry.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamTypesTest {
  @ParameterizedTest
  @CsvSource({
    "text/event-stream,                       true",
    "Text/Event-Stream; charset=utf-8,        true",
    "application/x-ndjson ;charset=utf-8,     true",
    "multipart/x-mixed-replace; boundary=a/b, true",
    "application/grpc,                        true",
    "application/grpc-web+proto,              true",
    "application/json,                        false",
    "text/event-streams,                      false",
    "event-stream/text,                       false",
    "'',                                      false",
    "'/; /event-stream',                      false",
  })
  void aStreamIsKnownByItsSubtype(String contentType, boolean stream) {
    assertEquals(stream, StreamTypes.include(contentType));
  }
}
