package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.RecordingGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import okhttp3.Cache;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a guard hears where only OkHttp goes: its cache, and pooled connections. */
class GuardAnswersTest {
  private final ScriptedServer server = ScriptedServer.start();
  private OkHttpClient client = new OkHttpClient();

  private final RecordingGuard guard = new RecordingGuard();

  @AfterEach
  void close() {
    client.connectionPool().evictAll();
    server.close();
  }

  private int status() throws IOException {
    String url = server.uri("/a").toString();
    Request request = new Request.Builder().url(url).build();
    HttpRetry retry = HttpRetry.builder().guard(guard).build();
    try (Response response = RetryingCallFactory.wrap(client, retry).newCall(request).execute()) {
      response.body().bytes(); // whole, so that the connection and the cache get it
      return response.code();
    }
  }

  @Test
  void aStaleConnectionIsReleased_itsResendCounts() throws IOException {
    server.enqueue(Reply.status(200).body("ok"), Reply.closeOnHead());
    assertEquals(200, status());
    assertEquals(200, status());
    assertEquals(List.of("succeeded", "released", "succeeded"), guard.answers());
  }

  @Test
  void anAnswerFromTheCacheIsReleased(@TempDir Path folder) throws IOException {
    try (Cache cache = new Cache(folder.toFile(), 1 << 20)) {
      client = client.newBuilder().cache(cache).build();
      server.enqueue(Reply.status(200).header("Cache-Control", "max-age=60").body("ok"));
      assertEquals(200, status());
      assertEquals(200, status());
    }
    assertEquals(1, server.requests().size());
    assertEquals(List.of("succeeded", "released"), guard.answers());
  }
}
