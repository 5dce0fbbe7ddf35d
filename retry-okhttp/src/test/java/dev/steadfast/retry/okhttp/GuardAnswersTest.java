package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
  private final List<String> answers = new ArrayList<>();
  private OkHttpClient client = new OkHttpClient();

  private final Guard guard =
      new Guard() {
        @Override
        public long admitsInNanos(OperationInfo operation, long nowNanos) {
          return 0;
        }

        @Override
        public Permit acquire(OperationInfo operation, long nowNanos) {
          return new Permit() {
            @Override
            public void succeeded(long elapsedNanos) {
              answers.add("succeeded");
            }

            @Override
            public void failed(Guard.Failure how, Throwable failure) {
              answers.add("failed");
            }

            @Override
            public void released() {
              answers.add("released");
            }
          };
        }
      };

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
    assertEquals(List.of("succeeded", "released", "succeeded"), answers);
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
    assertEquals(List.of("succeeded", "released"), answers);
  }
}
