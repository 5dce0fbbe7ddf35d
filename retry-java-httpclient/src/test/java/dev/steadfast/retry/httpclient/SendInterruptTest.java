package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An interrupt of ours ends a send and is gone afterwards; one of the user's is not. */
class SendInterruptTest {
  private static final int ROUNDS = Boolean.getBoolean("steadfast.thorough") ? 100_000 : 30_000;

  @AfterEach
  void noInterruptIsLeft() {
    assertFalse(Thread.interrupted());
  }

  @Test
  void oursIsTakenBack_whereSendDidNotSeeIt() {
    SendInterrupt interrupt = new SendInterrupt();
    interrupt.fire();
    assertTrue(Thread.currentThread().isInterrupted());
    assertTrue(interrupt.over(false));
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void oursIsGone_whereSendThrewIt() {
    SendInterrupt interrupt = new SendInterrupt();
    interrupt.fire();
    assertTrue(Thread.interrupted()); // as send does
    assertTrue(interrupt.over(true));
  }

  @Test
  void theUsersStays_whereItCameAfterSendHadSeenOurs() {
    SendInterrupt interrupt = new SendInterrupt();
    interrupt.fire();
    assertTrue(Thread.interrupted());
    Thread.currentThread().interrupt();
    assertTrue(interrupt.over(true));
    assertTrue(Thread.interrupted());
  }

  @Test
  void theUsersStays_whereItCameFirst() {
    SendInterrupt interrupt = new SendInterrupt();
    Thread.currentThread().interrupt();
    interrupt.fire();
    assertFalse(interrupt.over(false));
    assertTrue(Thread.interrupted());
  }

  @Test
  void afterSendNothingIsInterrupted() {
    SendInterrupt interrupt = new SendInterrupt();
    assertFalse(interrupt.over(false));
    interrupt.fire();
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void codeOfTheUsersGetsNoInterrupt_andSendDoesAfterwards() {
    SendInterrupt interrupt = new SendInterrupt();
    assertTrue(interrupt.enterUserCode());
    interrupt.fire();
    assertFalse(Thread.currentThread().isInterrupted());
    interrupt.leaveUserCode();
    assertTrue(Thread.currentThread().isInterrupted());
    assertTrue(interrupt.over(false));
  }

  @Test
  void codeOfTheUsersGetsNoInterruptThatHasComeBefore_andSendDoesAfterwards() {
    SendInterrupt interrupt = new SendInterrupt();
    interrupt.fire();
    assertTrue(interrupt.enterUserCode());
    assertFalse(Thread.currentThread().isInterrupted());
    interrupt.leaveUserCode();
    assertTrue(Thread.currentThread().isInterrupted());
    assertTrue(interrupt.over(false));
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void theUsersStays_whereItCameInHisOwnCode() {
    SendInterrupt interrupt = new SendInterrupt();
    interrupt.fire();
    assertTrue(interrupt.enterUserCode());
    Thread.currentThread().interrupt();
    interrupt.leaveUserCode();
    assertFalse(interrupt.over(false));
    assertTrue(Thread.interrupted());
  }

  @Test
  void codeOfTheUsersChangesNothing_whereSendHasSeenOurs() {
    SendInterrupt interrupt = new SendInterrupt();
    interrupt.fire();
    assertTrue(Thread.interrupted()); // as send does
    assertFalse(interrupt.enterUserCode());
    assertTrue(interrupt.over(true));
  }

  @Test
  void codeOfTheUsersOnAnotherThreadIsNotHeldUp() throws Exception {
    SendInterrupt interrupt = new SendInterrupt();
    assertFalse(CompletableFuture.supplyAsync(interrupt::enterUserCode).get());
    interrupt.fire();
    assertTrue(interrupt.over(false));
  }

  /**
   * A user who interrupts, a timer that fires and a server that answers, in every order. What the
   * user did shows afterwards, once, and nothing else does. The one exception is documented: an
   * interrupt of the user's and one of ours that meet within one send are the same flag.
   */
  @Test
  void noInterruptIsLostOrInvented() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    CyclicBarrier start = new CyclicBarrier(2);
    AtomicReference<Round> next = new AtomicReference<>();
    Thread sender = new Thread(() -> send(start, next), "sender");
    sender.setDaemon(true);
    sender.start();
    for (int i = 0; i < ROUNDS; i++) {
      Round round = new Round();
      next.set(round);
      start.await();
      round.armed.await();
      boolean met = act(round, sender, random);
      round.acted.countDown();
      start.await();
      boolean lost = round.userInterrupted && !round.userSeen;
      assertFalse(lost && !met, "lost in round " + i);
      assertFalse(round.userSeen && !round.userInterrupted, "invented in round " + i);
    }
    next.set(null);
    start.await();
    sender.join(10_000);
    assertFalse(sender.isAlive());
  }

  private static final class Round {
    private final CountDownLatch armed = new CountDownLatch(1);
    private final CountDownLatch acted = new CountDownLatch(1);
    private final CompletableFuture<String> answer = new CompletableFuture<>();
    private volatile SendInterrupt interrupt;
    private volatile boolean returned; // from send
    private volatile boolean userInterrupted;
    private volatile boolean userSeen;
  }

  /** Returns whether the user's interrupt met one of ours. */
  private static boolean act(Round round, Thread sender, SplittableRandom random) {
    boolean fired = false;
    boolean interrupted = false;
    int first = random.nextInt(3);
    int step = random.nextInt(1, 3);
    for (int i = 0; i < 3; i++) {
      for (int spin = random.nextInt(200); spin > 0; spin--) {
        Thread.onSpinWait();
      }
      switch ((first + i * step) % 3) {
        case 0 -> {
          fired = !round.returned;
          round.interrupt.fire();
        }
        case 1 -> round.answer.complete("200");
        default -> {
          if (random.nextBoolean()) {
            interrupted = !round.returned;
            round.userInterrupted = true;
            sender.interrupt();
          }
        }
      }
    }
    return fired && interrupted; // both while the thread was in send
  }

  // As JdkTransport does.
  private static void send(CyclicBarrier start, AtomicReference<Round> next) {
    try {
      while (true) {
        start.await();
        Round round = next.get();
        if (round == null) {
          return;
        }
        SendInterrupt interrupt = new SendInterrupt();
        round.interrupt = interrupt;
        round.armed.countDown();
        boolean thrown = false;
        try {
          round.answer.get();
        } catch (InterruptedException interrupted) {
          thrown = true;
        }
        boolean ours = interrupt.over(thrown);
        round.returned = true;
        boolean seen = thrown && !ours;
        while (round.acted.getCount() > 0) {
          Thread.onSpinWait(); // a user who is late still interrupts the thread
        }
        boolean flagged = Thread.interrupted();
        round.userSeen = seen || flagged;
        start.await();
      }
    } catch (InterruptedException | ExecutionException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }
}
