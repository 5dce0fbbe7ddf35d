package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.testsupport.H2Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that ends connections with many requests under way. After a restart all of them are
 * answered, as by the plain client. If it never answers again, the budget bounds what is added.
 */
class DyingServerTest {
  private static final int BURST = 40;
  private static final int BUDGET = 10;

  @RegisterExtension private final Rig rig = new Rig();
  private Target target;
  private int sends; // of calls that were lost

  /** Ways into the library that hold no thread of the test, and none at all. */
  enum Client {
    PLAIN,
    ENQUEUE,
    INTERCEPTOR;

    Call.Factory calls(Rig rig, OkHttpClient.Builder builder) {
      HttpRetry retry = rig.retry().budget(RetryBudget.successFunded(0, BUDGET, 0)).build();
      return this == PLAIN ? rig.plain(builder) : rig.calls(Entry.valueOf(name()), builder, retry);
    }
  }

  private Call.Factory calls(Client client) {
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequests(BURST);
    dispatcher.setMaxRequestsPerHost(BURST);
    return client.calls(
        rig,
        target
            .client()
            .dispatcher(dispatcher)
            .connectionPool(new ConnectionPool(BURST, 5, TimeUnit.MINUTES)));
  }

  /** Makes calls at one time, and returns how many were answered. */
  private int burst(Call.Factory calls) throws IOException {
    List<Entry.Answers> all = new ArrayList<>();
    for (int i = 0; i < BURST; i++) {
      Entry.Answers answers = new Entry.Answers();
      all.add(answers);
      calls.newCall(target.get()).enqueue(answers);
    }
    int answered = 0;
    for (Entry.Answers each : all) {
      try (Response response = each.get()) {
        response.body().string();
        answered++;
      } catch (IOException lost) {
        RetryReport.of(lost).ifPresent(report -> sends += deliveries(report));
      }
    }
    return answered;
  }

  /** Counts the requests that went out. One that met a closed connection did not, and is free. */
  private static int deliveries(RetryReport report) {
    return report.attemptReports().stream().mapToInt(each -> each.deliveries().orElseThrow()).sum();
  }

  /** As many pooled connections as there are calls in a burst. */
  private Call.Factory warm(Client client) throws IOException {
    target = rig.target(false);
    Call.Factory calls = calls(client);
    CountDownLatch together = new CountDownLatch(BURST);
    target.h1().whenRequest(request -> together.countDown());
    target.h1().enqueue(all(Reply.status(200).body("warm").delayUntil(together)));
    assertEquals(BURST, burst(calls));
    return calls;
  }

  private static Reply[] all(Reply reply) {
    return Collections.nCopies(BURST, reply).toArray(Reply[]::new);
  }

  @ParameterizedTest
  @EnumSource
  void aRestartLosesNothing(Client client) throws Exception {
    Call.Factory calls = warm(client);
    CountDownLatch together = new CountDownLatch(BURST);
    target.h1().whenRequest(request -> together.countDown());
    target.h1().enqueue(all(Reply.closeAfterRequest().delayUntil(together)));

    assertEquals(BURST, burst(calls));
  }

  /** The plain client sends up to 180 requests for these 120 calls. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void aServerThatClosesForEverGetsTheBudgetMore(Client client) throws Exception {
    Call.Factory calls = warm(client);
    target.h1().defaultReply(Reply.closeAfterRequest());

    assertEquals(0, burst(calls) + burst(calls) + burst(calls));

    // Each call once, each connection that was in use once more, and the budget.
    assertTrue(sends <= 3 * BURST + BURST + BUDGET, sends + " sends");
  }

  /**
   * HTTP/2: many requests share a connection on which none was ever answered. The plain client goes
   * on for seconds, with tens of thousands of requests.
   */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void aConnectionThatWasNeverAnsweredIsNotStale(Client client) throws Exception {
    target = rig.target(true);
    Call.Factory calls = calls(client);
    H2Server.Action read = (peer, stream) -> {};
    target.h2().enqueue(Collections.nCopies(BURST - 1, read).toArray(H2Server.Action[]::new));
    for (int i = 0; i < 10 * BURST; i++) {
      target.h2().enqueue(H2Server.tcpReset());
    }

    assertEquals(0, burst(calls));

    assertTrue(sends <= BURST + BUDGET, sends + " sends");
  }

  /** A restart ends the one connection, with a FIN or with a reset. */
  @ParameterizedTest
  @EnumSource
  void aRestartOverHttp2LosesNothing(Client client) throws Exception {
    target = rig.target(true);
    for (H2Server.Action end : List.of(H2Server.tcpReset(), H2Server.fin())) {
      Call.Factory calls = calls(client);
      target.warmUp(calls);
      H2Server.Action read = (peer, stream) -> {};
      target.h2().enqueue(Collections.nCopies(BURST - 1, read).toArray(H2Server.Action[]::new));
      target.h2().enqueue(end);

      assertEquals(BURST, burst(calls), end.toString());
    }
  }
}
