package dev.steadfast.retry.examples.payments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.examples.payments.ArmedFaults.Stall;
import dev.steadfast.retry.examples.payments.Faults.Point;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the service answers while nothing dies. */
final class PaymentsTest {
  @AutoClose private final Counterpart counterpart;

  PaymentsTest() throws IOException, SQLException {
    counterpart = new Counterpart();
  }

  private static void assertReplayOf(HttpResponse<String> first, HttpResponse<String> second) {
    assertEquals(first.statusCode(), second.statusCode());
    assertEquals(first.body(), second.body());
    assertEquals(List.of(), first.headers().allValues("Idempotent-Replayed"));
    assertEquals(List.of("true"), second.headers().allValues("Idempotent-Replayed"));
  }

  @Test
  void withoutAKeyEachRequestPays() throws Exception {
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer =
          counterpart.send(
              counterpart
                  .request("alice", "")
                  .POST(BodyPublishers.ofString(Counterpart.form("i-1", 100)))
                  .build());
      assertEquals(201, answer.statusCode());
    }
    assertEquals(2, Counterpart.effects("i-1"));
    assertEquals(0, Counterpart.keys());
  }

  @Test
  void theStoredAnswerIsReplayed() throws Exception {
    HttpResponse<String> first = counterpart.pay("k", "i-1");
    assertEquals(201, first.statusCode());
    assertTrue(first.body().contains("\"intent\":\"i-1\""), first.body());
    assertReplayOf(first, counterpart.pay("k", "i-1"));
    assertEquals(1, Counterpart.effects("i-1"));
  }

  @Test
  void aDeclinedPaymentIsStoredToo() throws Exception {
    String tooMuch = Counterpart.form("i-1", 1_000_001);
    HttpResponse<String> first = counterpart.send(counterpart.payment("alice", "k", tooMuch));
    assertEquals(402, first.statusCode());
    assertReplayOf(first, counterpart.send(counterpart.payment("alice", "k", tooMuch)));
    assertEquals(0, Counterpart.effects("i-1"));
  }

  @Test
  void theSameKeyWithAnotherRequestIsRefused() throws Exception {
    counterpart.pay("k", "i-1");
    assertEquals(422, counterpart.pay("k", "i-2").statusCode());
    assertEquals(0, Counterpart.effects("i-2"));
  }

  @Test
  void eachPrincipalHasKeysOfItsOwn() throws Exception {
    String form = Counterpart.form("i-1", 100);
    assertEquals(201, counterpart.send(counterpart.payment("alice", "k", form)).statusCode());
    HttpResponse<String> bob = counterpart.send(counterpart.payment("bob", "k", form));
    assertEquals(201, bob.statusCode());
    assertEquals(List.of(), bob.headers().allValues("Idempotent-Replayed"));
    assertEquals(2, Counterpart.effects("i-1"));
  }

  @ParameterizedTest
  @EnumSource(names = {"AFTER_KEY", "IN_TRANSACTION"})
  void aDuplicateDoesNotWaitForTheFirst(Point point) throws Exception {
    Stall stall = counterpart.stall(point);
    CompletableFuture<HttpResponse<String>> first = counterpart.paying("k", "i-1");
    stall.awaitReached();
    HttpResponse<String> duplicate = counterpart.pay("k", "i-1");
    assertEquals(409, duplicate.statusCode());
    assertEquals(List.of("1"), duplicate.headers().allValues("Retry-After"));
    assertEquals(422, counterpart.pay("k", "i-2").statusCode());
    assertEquals(0, Counterpart.effects("i-1"));
    stall.letGo();
    assertReplayOf(first.get(30, TimeUnit.SECONDS), counterpart.pay("k", "i-1"));
    assertEquals(1, Counterpart.effects("i-1"));
  }

  @Test
  void ofManyAtOnceOneHasTheEffect() throws Exception {
    for (int round = 0; round < 20; round++) {
      String name = "i-" + round;
      List<CompletableFuture<HttpResponse<String>>> requests = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        requests.add(counterpart.paying(name, name));
      }
      Set<String> bodies = new HashSet<>();
      int original = 0;
      for (CompletableFuture<HttpResponse<String>> request : requests) {
        HttpResponse<String> answer = request.get(30, TimeUnit.SECONDS);
        if (answer.statusCode() != 409) {
          assertEquals(201, answer.statusCode());
          bodies.add(answer.body());
          original += answer.headers().firstValue("Idempotent-Replayed").isPresent() ? 0 : 1;
        }
      }
      assertEquals(1, original);
      assertEquals(1, bodies.size());
      assertEquals(1, Counterpart.effects(name));
    }
  }

  @Test
  void afterItsRetentionAKeyCountsAsNew() throws Exception {
    String form = Counterpart.form("i-1", 100);
    HttpResponse<String> first = counterpart.send(counterpart.payment("short", "k", form));
    assertReplayOf(first, counterpart.send(counterpart.payment("short", "k", form)));
    counterpart.pay("k", "i-2");
    Counterpart.passTime(Duration.ofSeconds(61));
    HttpResponse<String> again = counterpart.send(counterpart.payment("short", "k", form));
    assertEquals(201, again.statusCode());
    assertEquals(List.of(), again.headers().allValues("Idempotent-Replayed"));
    assertEquals(2, Counterpart.effects("i-1"));
    counterpart.pay("k", "i-2"); // whose retention is longer
    assertEquals(1, Counterpart.effects("i-2"));
  }

  @Test
  void keysThatAreOverAreDeleted() throws Exception {
    try (Counterpart sweeping = new Counterpart(Counterpart.LEASE, Duration.ofMillis(10))) {
      sweeping.pay("done", "i-1");
      sweeping.crash(Point.AFTER_KEY);
      sweeping.paying("dead", "i-2").handle((answer, failure) -> "dead").join();
      sweeping.fence("fenced", "i-3");
      assertEquals(3, Counterpart.keys());
      Counterpart.passTime(Duration.ofHours(25));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (Counterpart.keys() > 1 && System.nanoTime() - deadline < 0) {
        LockSupport.parkNanos(1_000_000);
      }
      assertEquals(1, Counterpart.keys());
      assertEquals(410, sweeping.pay("fenced", "i-3").statusCode());
    }
  }

  // ---- look-up

  @Test
  void aFencedIntentIsNeverApplied() throws Exception {
    assertEquals(404, counterpart.lookUp("i-1").statusCode());
    String outcome = "{\"outcome\":\"not applied and fenced\"}";
    assertEquals(outcome, counterpart.fence("k", "i-1").body());
    assertEquals(outcome, counterpart.lookUp("i-1").body());
    assertEquals(410, counterpart.pay("k", "i-1").statusCode());
    assertEquals(outcome, counterpart.fence("k", "i-1").body());
    assertEquals(0, Counterpart.effects("i-1"));
  }

  @Test
  void anAppliedIntentStaysApplied() throws Exception {
    counterpart.pay("k", "i-1");
    String outcome = "{\"outcome\":\"applied\"}";
    assertEquals(outcome, counterpart.lookUp("i-1").body());
    assertEquals(outcome, counterpart.fence("k", "i-1").body());
    assertEquals(outcome, counterpart.lookUp("i-1").body());
  }

  @Test
  void whatIsAtWorkIsFencedToo() throws Exception {
    Stall stall = counterpart.stall(Point.AFTER_KEY);
    CompletableFuture<HttpResponse<String>> first = counterpart.paying("k", "i-1");
    stall.awaitReached();
    assertEquals("{\"outcome\":\"not applied and fenced\"}", counterpart.fence("k", "i-1").body());
    stall.letGo();
    assertEquals(409, first.get(30, TimeUnit.SECONDS).statusCode());
    assertEquals(410, counterpart.pay("k", "i-1").statusCode());
    assertEquals(0, Counterpart.effects("i-1"));
  }

  @Test
  void aKeyIsFencedForItsOwnIntentOnly() throws Exception {
    HttpResponse<String> first = counterpart.pay("k", "i-1");
    assertEquals(422, counterpart.fence("k", "i-2").statusCode());
    assertReplayOf(first, counterpart.pay("k", "i-1"));
  }

  // ---- what it cannot read

  @ParameterizedTest
  @CsvSource({
    "intent=i-1&account=acme, 400",
    "intent=i-1&account=acme&amount=-5, 400",
    "intent=i%201&account=acme&amount=5, 400",
    "account=acme&amount=5, 400",
    "'', 400",
  })
  void aBrokenFormIsRefused(String form, int status) throws Exception {
    assertEquals(status, counterpart.send(counterpart.payment("alice", "k", form)).statusCode());
    assertEquals(0, Counterpart.keys());
  }

  @Test
  void otherBrokenRequestsAreRefused() throws Exception {
    String form = Counterpart.form("i-1", 100);
    assertEquals(401, counterpart.send(counterpart.payment("a b", "k", form)).statusCode());
    String longKey = "k".repeat(256);
    assertEquals(400, counterpart.send(counterpart.payment("alice", longKey, form)).statusCode());
    String longForm = form + "&more=" + "x".repeat(20_000);
    assertEquals(413, counterpart.send(counterpart.payment("alice", "k", longForm)).statusCode());
    assertEquals(
        400,
        counterpart
            .send(
                counterpart
                    .request("alice", "")
                    .header("Idempotency-Key", "k1")
                    .header("Idempotency-Key", "k2")
                    .POST(BodyPublishers.ofString(form))
                    .build())
            .statusCode());
    assertEquals(
        400,
        counterpart
            .send(counterpart.request("alice", "/i-1/fence").POST(BodyPublishers.noBody()).build())
            .statusCode());
    assertEquals(
        404, counterpart.send(counterpart.request("alice", "/a/b/c").build()).statusCode());
    assertEquals(0, Counterpart.keys());
  }
}
