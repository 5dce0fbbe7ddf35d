package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okio.AsyncTimeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of event streams take the call timeout back when the stream has begun. */
class LiftedTimeoutTest {
  private final Rig rig = new Rig();
  private final ScriptedServer server = ScriptedServer.start();

  @BeforeEach
  void okHttp5() {
    Calls.assumeOkHttp5(); // the Okio of OkHttp 4 has no Timeout.cancel
  }

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  /** Returns once a timeout that began now has run out, and whoever it ends has been told. */
  private static void awaitTimeout(long millis) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    AsyncTimeout timeout =
        new AsyncTimeout() {
          @Override
          protected void timedOut() {
            over.countDown();
          }
        };
    timeout.timeout(millis, TimeUnit.MILLISECONDS);
    timeout.enter();
    over.await();
    timeout.exit();
  }

  /** As long as it takes for the head to come in time. */
  @ParameterizedTest
  @EnumSource
  void theBodyIsReadWithoutIt(Entry entry) throws Exception {
    HttpRetry retry = HttpRetry.builder().build();
    for (long millis = 100; ; millis *= 2) {
      OkHttpClient.Builder builder = Rig.builder().callTimeout(Duration.ofMillis(millis));
      server.enqueue(Reply.stalledBody(200, 100, "data: 1\n"));
      Call call = rig.calls(entry, builder, retry).newCall(Calls.get(server));
      Response response;
      try {
        response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
      } catch (InterruptedIOException tooEarly) {
        continue;
      }
      try (response) {
        call.timeout().cancel();
        awaitTimeout(2 * millis);
        assertFalse(call.isCanceled());
        assertEquals("data: 1", response.body().source().readUtf8Line());
        call.cancel();
        return;
      }
    }
  }
}
