package dev.steadfast.retry.soak;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** What the clients of the soak have in common: bounds, cancels, and bodies that are read. */
final class Traffic {
  /** Of each operation. */
  static final long TOTAL_MILLIS = 1_500;

  // The server's longest silence, and its slowest body.
  private static final long LONGEST_BODY_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int MOST_UNDER_WAY = 300;
  private static final int CANCELLED_PERCENT = 10;

  final Ledger ledger;
  final SecondJvm server;
  final Executor callers = Pools.fixed("caller", 64);
  final Executor readers = Pools.fixed("reader", 64);
  private final ScheduledExecutorService cancels = Pools.timer("cancels");
  private final Semaphore underWay = new Semaphore(MOST_UNDER_WAY);

  Traffic(Ledger ledger, SecondJvm server) {
    this.ledger = ledger;
    this.server = server;
  }

  /** A body that is to be read, or left. */
  interface Body {
    void use() throws Exception;
  }

  /** An operation as its caller sees it: the time to its head, and then that of its body. */
  final class Operation {
    private final String name;
    private final Ledger.Entry head;

    private Operation(String name) {
      this.name = name;
      this.head = ledger.begin(name, TimeUnit.MILLISECONDS.toNanos(TOTAL_MILLIS));
    }

    /** It has ended without a body that is left to the caller. */
    void ended() {
      head.ended();
      underWay.release();
    }

    /** It has a body, which an executor uses. */
    void ended(Executor on, Body body) {
      head.ended();
      on.execute(() -> {
        Ledger.Entry use = ledger.begin("the body of " + name, LONGEST_BODY_NANOS);
        try {
          body.use();
        } catch (Exception broken) {
          // By a fault of the server's, or a cancel.
        } finally {
          use.ended();
          underWay.release();
        }
      });
    }

    /** Cancels some operations after a random time. */
    void perhapsCancel(Runnable cancel) {
      if (ThreadLocalRandom.current().nextInt(100) < CANCELLED_PERCENT) {
        long millis = ThreadLocalRandom.current().nextLong(TOTAL_MILLIS / 2);
        cancels.schedule(
            () -> {
              cancel.run();
              head.dueNow();
            },
            millis,
            TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Begins an operation, once few enough are under way. */
  Operation begin(String name) {
    underWay.acquireUninterruptibly();
    return new Operation(name);
  }

  /** Runs a blocking call on a thread of the callers; a cancel interrupts it. */
  void call(String name, BlockingCall call) {
    underWay.acquireUninterruptibly();
    callers.execute(() -> {
      Operation operation = new Operation(name);
      Interrupt interrupt = new Interrupt(Thread.currentThread());
      operation.perhapsCancel(interrupt::fire);
      try {
        call.run(operation);
      } finally {
        interrupt.over();
      }
    });
  }

  /** Ends the operation by itself, in any case. */
  interface BlockingCall {
    void run(Operation operation);
  }

  /** Interrupts a thread while it is in a call, and not afterwards. */
  private static final class Interrupt {
    private Thread thread;

    Interrupt(Thread thread) {
      this.thread = thread;
    }

    synchronized void fire() {
      if (thread != null) {
        thread.interrupt();
      }
    }

    synchronized void over() {
      thread = null;
      boolean ignored = Thread.interrupted();
    }
  }

  String path() {
    int size = ThreadLocalRandom.current().nextInt(10) == 0 ? 200_000 : 2_000;
    return server.url("/faulty/" + ThreadLocalRandom.current().nextInt(size));
  }
}
