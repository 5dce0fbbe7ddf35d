package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.internal.OriginTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The default budget: an account per origin, in bounded number. */
class OriginBudgetTest {
  private static final int MOST = 1024;

  private static int takeAll(RetryBudget.Account account) {
    int taken = 0;
    while (account.tryWithdraw(FailureKind.OTHER, 0).granted()) {
      taken++;
    }
    return taken;
  }

  @Test
  void anOriginHasOneAccount_andOthersHaveTheirOwn() {
    RetryBudget budget = RetryBudget.perOrigin(0.1);
    RetryBudget.Account one = budget.account("https://a.example:443");
    assertSame(one, budget.account("https://a.example:443"));
    assertNotSame(one, budget.account("https://b.example:443"));
    assertEquals(10, takeAll(one));
    assertEquals(0, takeAll(budget.account("https://a.example:443")));
    assertEquals(10, takeAll(budget.account("https://b.example:443")));
    assertEquals(10, takeAll(RetryBudget.perOrigin(0.1).account("https://a.example:443")));
  }

  @Test
  void theRatioIsWhatASuccessEarns() {
    for (double ratio : new double[] {0.1, 0.6, 0.9, 10}) {
      RetryBudget.Account account = RetryBudget.perOrigin(ratio).account("x");
      takeAll(account);
      for (int i = 0; i < 10; i++) {
        account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, 0);
      }
      assertEquals(Math.min(10, Math.round(10 * ratio)), takeAll(account), "ratio " + ratio);
    }
  }

  @Test
  void aMillionOriginsGetBoundedMemory_andNoFreshBurstEach() {
    OriginBudget budget = (OriginBudget) RetryBudget.perOrigin(0.1);
    RetryBudget.Account busy = budget.account("https://busy.example:443");
    int more = 0;
    for (int i = 0; i < 1_000_000; i++) {
      RetryBudget.Account account = budget.account("https://h" + i + ".example:443");
      account.tryWithdraw(FailureKind.OTHER, 0);
      more += account.tryWithdraw(FailureKind.OTHER, 0).granted() ? 1 : 0;
      assertSame(busy, budget.account("https://busy.example:443"), "used all the time");
    }
    assertEquals(MOST, budget.size());
    assertEquals(MOST - 1, more, "a second retry at once: of those that came before it was full");
  }

  @Test
  void whereAllOriginsAreInUse_newOnesShareOneAccountWithoutABurst() {
    RetryBudget budget = RetryBudget.perOrigin(0.1);
    for (int i = 0; i < MOST; i++) {
      budget.account("h" + i);
    }
    RetryBudget.Account one = budget.account("one");
    assertSame(one, budget.account("other"));
    one.operationBegan(0);
    assertTrue(one.tryWithdraw(FailureKind.OTHER, 0).granted());
    assertFalse(one.tryWithdraw(FailureKind.OTHER, 0).granted());
    assertTrue(one.tryWithdraw(FailureKind.OTHER, 1_000_000_000L).granted(), "the floor");
  }

  /** All fail, and each origin is called again after all others. */
  @ParameterizedTest
  @ValueSource(ints = {1_000, 2_000})
  void moreOriginsThanPlacesGetNoMoreRetriesThanTheirShare(int origins) {
    List<RetryBudget> budgets =
        List.of(
            RetryBudget.perOrigin(0.1),
            RetryBudget.successFunded(0.1, 10, 0),
            RetryBudget.requestFunded(0.1, 1, Duration.ofSeconds(10)),
            RetryBudget.awsQuota());
    for (RetryBudget budget : budgets) {
      int operations = 0;
      int retries = 0;
      for (int round = 0; round < 100; round++) {
        for (int i = 0; i < origins; i++) {
          long now = round * 50_000_000L; // 20 operations per second to each
          RetryBudget.Account account = budget.account("h" + i);
          account.operationBegan(now);
          for (int attempt = 1; attempt < 3; attempt++) {
            retries += account.tryWithdraw(FailureKind.OTHER, now).granted() ? 1 : 0;
          }
          account.operationEnded(RetryBudget.Outcome.FAILED, null, now);
          operations++;
        }
      }
      double load = 1 + (double) retries / operations;
      double share = budget.toString().startsWith("aws") ? 1.36 : 1.21; // of 100 operations each
      assertTrue(load <= share, budget + " to " + origins + " origins: a load of " + load);
    }
  }

  // The others find no account, and wait while the first of them makes it.
  @Test
  void whoAsksWhileAnAccountIsMade_getsTheSame() throws Exception {
    List<Thread> askers = new ArrayList<>();
    AtomicInteger made = new AtomicInteger();
    OriginTable<Integer> table =
        new OriginTable<>((key, fresh) -> {
          askers.subList(1, 8).forEach(Thread::start);
          askers.subList(1, 8).forEach(OriginBudgetTest::awaitWaiting);
          return made.incrementAndGet();
        });
    List<Integer> got = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 8; i++) {
      askers.add(new Thread(() -> got.add(table.get("h"))));
    }
    askers.get(0).start();
    for (Thread each : askers) {
      each.join();
    }
    assertEquals(Collections.nCopies(8, 1), got);
    assertEquals(1, table.size());
  }

  @Test
  void toLookUpAKeyMakesNothing_andIsNoUseOfIt() {
    OriginTable<String> table = new OriginTable<>((key, fresh) -> key);
    assertNull(table.find("h0"));
    for (int i = 0; i < MOST; i++) {
      table.get("h" + i);
    }
    assertEquals("h0", table.find("h0"));
    for (int i = 0; i < MOST; i++) {
      table.find("h0");
      table.get("new" + i);
    }
    assertNull(table.find("h0"));
    assertNull(table.find(OriginTable.OVERFLOW));
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void manyThreadsGetTheSameAccounts_andStayWithinTheBound() throws Exception {
    RetryBudget budget = RetryBudget.perOrigin(0.1);
    Set<RetryBudget.Account> accounts = ConcurrentHashMap.newKeySet();
    CyclicBarrier start = new CyclicBarrier(8);
    List<Callable<Boolean>> workers = new ArrayList<>();
    for (int thread = 0; thread < 8; thread++) {
      workers.add(() -> {
        start.await();
        for (int i = 0; i < MOST; i++) {
          accounts.add(budget.account("h" + i));
        }
        start.await(); // no origin is forgotten before the table is full
        for (int i = MOST; i < 5_000; i++) {
          budget.account("h" + i);
        }
        return true;
      });
    }
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      for (Future<Boolean> each : pool.invokeAll(workers)) {
        assertTrue(each.get());
      }
    } finally {
      pool.shutdown();
    }
    assertEquals(MOST, accounts.size(), "one account for each origin, whoever asks first");
    assertEquals(MOST, ((OriginBudget) budget).size());
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {
        Double.NaN,
        -0.1,
        -Double.MIN_VALUE,
        10.1,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
      })
  void rejectsARatioOutOfRange(double ratio) {
    Exception thrown =
        assertThrows(IllegalArgumentException.class, () -> RetryBudget.perOrigin(ratio));
    assertEquals("ratio: " + ratio + " (expected: 0.0 to 10.0)", thrown.getMessage());
  }

  @Test
  void printsItsTerms() {
    assertEquals("perOrigin(0.1)", RetryBudget.perOrigin(0.1).toString());
    assertEquals("unlimited", RetryBudget.unlimited().toString());
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void rejectsANullOrigin() {
    assertThrows(NullPointerException.class, () -> RetryBudget.perOrigin(0.1).account(null));
  }

  @Test
  void unlimitedAlwaysPays_andTakesNothing() {
    RetryBudget.Account account = RetryBudget.unlimited().account("x");
    assertSame(account, RetryBudget.unlimited().account("y"));
    for (int i = 0; i < 1_000; i++) {
      Withdrawal withdrawal = account.tryWithdraw(FailureKind.OTHER, i);
      assertTrue(withdrawal.granted());
      assertEquals(0, withdrawal.cost());
      account.refund(withdrawal, i);
      account.operationEnded(RetryBudget.Outcome.FAILED, withdrawal, i);
    }
  }

  @Test
  void aWithdrawalSaysWhatItCost() {
    assertFalse(Withdrawal.refused().granted());
    assertEquals(0, Withdrawal.refused().cost());
    assertEquals("Withdrawal(refused)", Withdrawal.refused().toString());
    assertTrue(Withdrawal.of(0).granted());
    assertEquals(14, Withdrawal.of(14).cost());
    assertEquals("Withdrawal(14)", Withdrawal.of(14).toString());
    Exception thrown = assertThrows(IllegalArgumentException.class, () -> Withdrawal.of(-1));
    assertEquals("cost: -1 (expected: >= 0)", thrown.getMessage());
  }
}
