package dev.steadfast.retry.tck;

import static dev.steadfast.retry.tck.Reply.status;
import static dev.steadfast.retry.tck.Scenario.row;
import static dev.steadfast.retry.tck.StatusRows.OK;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.example.ExampleEntryPoint;
import dev.steadfast.retry.tck.example.PlainConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A row fails when anything is not as it says, and when something is left behind. */
class ScenarioRunTest {
  private static final Duration MOMENT = Duration.ofMillis(100);

  private static final Scenario RETRIED =
      row("retried")
          .get("/a")
          .replies(status(503).body("busy"), OK)
          .retriedAfter("503 UNAVAILABLE answered");

  @Test
  void rightRow_passes() throws Exception {
    ScenarioRun.of(RETRIED, ExampleEntryPoint.blocking(), ScenarioRun.Watcher.NONE);
  }

  @Test
  void wrongAspects_areAllNamed() {
    Scenario wrong =
        RETRIED
            .answers(201, "ok")
            .requests(3)
            .trace("attempt 1: 200", "done ACCEPTED 1")
            .expect(e ->
                e.key("minted")
                    .budget("SUCCEEDED")
                    .permits("succeeded")
                    .connections(2)
                    .sent("X-Attempt", "1"));
    String found = findings(wrong, ExampleEntryPoint.blocking());
    for (String each :
        List.of(
            "retried [reference blocking]",
            "expected: 201 ok\n      but was:  200 ok",
            "expected: 3\n      but was:  2",
            "but was:  attempt 1: 503 UNAVAILABLE answered; wait 100ms backoff; attempt 2: 200;",
            "expected: minted\n      but was:  none",
            "but was:  took 1 UNAVAILABLE, SUCCEEDED",
            "but was:  failed, succeeded",
            "expected: 2\n      but was:  1",
            "header X-Attempt\n      expected: 1\n      but was:  -, -")) {
      assertTrue(found.contains(each), () -> each + "\nnot in\n" + found);
    }
  }

  @Test
  void actionThatIsNeverDueOrThrows_isNamed() {
    Scenario late = RETRIED.at(Scenario.Moment.REQUEST, 3, run -> {});
    assertFinds("was never reached: At[moment=REQUEST, number=3]", late, blocking());
    Scenario throwing =
        RETRIED.at(
            Scenario.Moment.BEFORE_WAIT,
            run -> {
              throw new IllegalStateException("in a listener");
            });
    assertFinds("in a listener", throwing, blocking());
  }

  @Test
  void unreadBody_isALeak() {
    assertFinds(
        "the next request found no connection in the pool",
        RETRIED,
        new Leaking() {
          @Override
          public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws Exception {
            client.plainGet(uri); // one connection is open, and never given back
            return super.call(uri, call, onHead);
          }

          @Override
          public int plainGet(URI uri) throws Exception {
            PlainConnection fresh = new PlainConnection(uri);
            fresh.send(PlainConnection.Request.get(uri));
            fresh.readHead();
            return 200;
          }
        });
  }

  @Test
  void openConnection_isALeak() {
    assertFinds(
        "left behind, connections",
        RETRIED,
        new Leaking() {
          @Override
          public boolean closeIdle() {
            return true;
          }
        });
  }

  @Test
  void thread_isALeak() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try {
      assertFinds(
          "left behind, a thread",
          RETRIED,
          new Leaking() {
            @Override
            public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws Exception {
              new Thread(() -> await(end), "left-behind").start();
              return super.call(uri, call, onHead);
            }
          });
    } finally {
      end.countDown();
    }
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void secondDeliveryUnderAnAttempt_isFound() {
    assertFinds(
        "expected: 2\n      but was:  3",
        RETRIED,
        new Leaking() {
          @Override
          public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws Exception {
            ScenarioOutcome outcome = super.call(uri, call, onHead);
            client.plainGet(uri);
            return outcome;
          }
        });
  }

  private static EntryPoint blocking() {
    return ExampleEntryPoint.blocking();
  }

  private static void assertFinds(String finding, Scenario row, EntryPoint entry) {
    String found = findings(row, entry);
    assertTrue(found.contains(finding), found);
  }

  private static String findings(Scenario row, EntryPoint entry) {
    return assertThrows(
            AssertionError.class,
            () -> ScenarioRun.of(row, entry, ScenarioRun.Watcher.NONE, MOMENT))
        .getMessage();
  }

  /** The reference client with one fault. */
  private abstract static class Leaking implements Client, EntryPoint {
    Client client;

    @Override
    public String name() {
      return "leaking";
    }

    @Override
    public Set<Trait> traits() {
      return Set.of();
    }

    @Override
    public Client open(HttpRetry retry) {
      client = ExampleEntryPoint.blocking().open(retry);
      return this;
    }

    @Override
    public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws Exception {
      return client.call(uri, call, onHead);
    }

    @Override
    public void cancel() {
      client.cancel();
    }

    @Override
    public List<String> headerValues(Object request, String name) {
      return client.headerValues(request, name);
    }

    @Override
    public int plainGet(URI uri) throws Exception {
      return client.plainGet(uri);
    }

    @Override
    public boolean closeIdle() {
      return client.closeIdle();
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
