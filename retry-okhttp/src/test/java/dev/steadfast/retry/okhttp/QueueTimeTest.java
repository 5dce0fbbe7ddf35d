package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Timeouts that run while a call waits in the dispatcher's queue, before its first attempt. */
class QueueTimeTest {
  @RegisterExtension final Rig rig = new Rig();

  private final ScriptedServer server = rig.server();
  private final CountDownLatch held = new CountDownLatch(1);
  private final Entry.Answers first = new Entry.Answers();
  private Call waiting;

  @Test
  void theDeadlineHoldsInTheQueue() throws Exception {
    RetryOptions options = RetryOptions.builder().deadline(Duration.ofSeconds(5)).build();
    Request request = Calls.get(server).newBuilder().tag(RetryOptions.class, options).build();

    IOException failure = queued(request, 0, Duration.ofSeconds(5)).failure();

    assertTrue(failure.getMessage().startsWith("timeout"), failure.getMessage());
    RetryReport report = RetryReport.of(failure).orElseThrow();
    assertEquals(StopReason.DEADLINE, report.reason());
    assertEquals(0, report.attempts());
    freeTheQueue();
    assertEquals(1, server.requests().size());
  }

  /** As in OkHttp: a hundred calls may be enqueued at once, however few of them run. */
  @Test
  void theCallTimeoutDoesNotRunInTheQueue() throws Exception {
    Entry.Answers second = queued(Calls.get(server), 5, Duration.ofSeconds(20));
    assertFalse(second.done());

    freeTheQueue();

    try (Response response = second.get()) {
      assertEquals(200, response.code());
    }
  }

  @Test
  void itBeginsWhenTheCallLeavesTheQueue() throws Exception {
    Entry.Answers second = queued(Calls.get(server), 5, Duration.ofSeconds(20));
    server.enqueue(Reply.stallAfterRequest());
    server.whenRequest(request -> rig.time.advance(Duration.ofSeconds(5)));

    freeTheQueue();

    assertEquals("timeout", second.failure().getMessage());
  }

  @Test
  void aTimeoutThatIsTakenBackInTheQueueDoesNotBegin() throws Exception {
    Calls.assumeOkHttp5(); // the Okio of OkHttp 4 has no Timeout.cancel
    Entry.Answers second = queued(Calls.get(server), 5, Duration.ofSeconds(20));
    waiting.timeout().cancel();
    server.whenRequest(request -> rig.time.advance(Duration.ofSeconds(6)));

    freeTheQueue();

    try (Response response = second.get()) {
      assertEquals(200, response.code());
    }
  }

  /** Enqueues a call behind another one, which holds the only place, and lets time pass. */
  private Entry.Answers queued(Request request, int timeoutSeconds, Duration inQueue)
      throws Exception {
    OkHttpClient client = rig.client(Rig.builder());
    client.dispatcher().setMaxRequests(1);
    server.enqueue(Reply.status(200).delayUntil(held));
    client.newCall(Calls.get(server)).enqueue(first);
    server.awaitRequests(1, Calls.SOON);
    Entry.Answers second = new Entry.Answers();
    waiting = rig.factory(client, patient()).newCall(request);
    waiting.timeout().timeout(timeoutSeconds, TimeUnit.SECONDS);
    waiting.enqueue(second);
    rig.time.advance(inQueue);
    return second;
  }

  private HttpRetry patient() {
    return rig.frozen().policy(RetryPolicy.builder().noTotalTimeout().build()).build();
  }

  private void freeTheQueue() throws IOException {
    held.countDown();
    first.get().close();
  }
}
