package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.testsupport.H2Server;
import java.io.IOException;
import java.util.List;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.internal.http2.ConnectionShutdownException;
import okhttp3.internal.http2.StreamResetException;
import okio.BufferedSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Request bodies that are copied from the answer of another call, which fails half-way. */
class CopiedBodyTest {
  private final Rig rig = new Rig();
  private final H2Server source = new H2Server();
  private final H2Server server = new H2Server();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    source.assertNoLeaks();
    source.close();
    server.assertNoLeaks();
    server.close();
  }

  private interface Copy {
    void into(BufferedSink sink) throws IOException;
  }

  private static RequestBody body(Copy copy) {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return MediaType.get("text/plain");
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        sink.writeUtf8("the first line\n");
        sink.flush();
        copy.into(sink);
      }
    };
  }

  private Entry.Outcome post(Entry entry, RequestBody body) {
    Call.Factory calls =
        rig.calls(
            entry,
            Rig.builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)),
            rig.retry().build());
    return entry.make(calls.newCall(request(server).newBuilder().post(body).build()));
  }

  private static Request request(H2Server at) {
    return new Request.Builder().url("http://127.0.0.1:" + at.port() + "/lines").build();
  }

  private static void assertMayHaveActed(Entry.Outcome got) {
    assertEquals(1, got.report().attempts(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(Disposition.UNKNOWN, got.report().last().orElseThrow().disposition());
    assertTrue(got.report().outcomeUnknown());
  }

  @ParameterizedTest
  @EnumSource
  void aStreamThatTheOtherServerRefusesProvesNothing(Entry entry) {
    source.refuseAt("127.0.0.1");
    Call.Factory others = rig.plain(Rig.builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)));

    Entry.Outcome got =
        post(
            entry,
            body(sink -> {
              try (Response lines = others.newCall(request(source)).execute()) {
                sink.writeAll(lines.body().source());
              }
            }));

    assertInstanceOf(StreamResetException.class, got.failure());
    assertMayHaveActed(got);
  }

  @ParameterizedTest
  @EnumSource
  void theEndOfTheOtherConnectionProvesNothing(Entry entry) {
    IOException end = new ConnectionShutdownException();

    Entry.Outcome got =
        post(
            entry,
            body(sink -> {
              throw end;
            }));

    assertSame(end, got.failure());
    assertMayHaveActed(got);
  }

  /** The stream of the request itself is refused, while its body is written. */
  @ParameterizedTest
  @EnumSource
  void aStreamThatTheServerRefusesIsTriedAgain(Entry entry) {
    server.enqueue(H2Server.reset(7));

    Entry.Outcome got = post(entry, body(sink -> sink.writeUtf8("the last line\n")));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, got.report().attempts());
  }
}
