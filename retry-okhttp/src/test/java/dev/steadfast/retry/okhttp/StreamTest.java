package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that go on for as long as somebody listens. */
class StreamTest {
  private static final String EVENT = "data: 1\n";

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static Response answer(Entry entry, Call call) throws Exception {
    return entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
  }

  /** The first event is there to be read while the server keeps the second one back. */
  private void assertHandedOver(Entry entry, String type) throws Exception {
    HttpRetry retry = rig.retry().bufferBodiesUpTo(1000).build();
    OkHttpClient.Builder builder = Rig.builder().readTimeout(Duration.ofSeconds(2));
    server.enqueue(Reply.stalledBody(200, 1, EVENT).chunked().header("Content-Type", type));
    Call call = rig.calls(entry, builder, retry).newCall(Calls.get(server));
    try (Response response = answer(entry, call)) {
      assertEquals("data: 1", response.body().source().readUtf8Line());
      call.cancel();
    }
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void anEventStreamIsNotHeldBack(Entry entry) throws Exception {
    assertHandedOver(entry, "text/event-stream;charset=utf-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Text/Event-Stream",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/json-seq",
        "application/stream+json",
        "multipart/x-mixed-replace; boundary=frame",
        "application/grpc",
        "application/grpc+proto",
        "application/grpc-web+proto"
      })
  void norIsAnyOtherStream(String type) throws Exception {
    assertHandedOver(Entry.EXECUTE, type);
  }
}
