package dev.steadfast.retry.examples.payments;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Faults that a test arms: the next request that comes to a point meets its fault. */
public final class ArmedFaults implements Faults {
  /** A fault that holds a request until it is let go. */
  public static final class Stall implements Runnable {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    @Override
    public void run() {
      reached.countDown();
      await(letGo);
    }

    public void awaitReached() {
      await(reached);
    }

    public void letGo() {
      letGo.countDown();
    }

    private static void await(CountDownLatch latch) {
      try {
        if (!latch.await(30, TimeUnit.SECONDS)) {
          throw new AssertionError("nobody came");
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private final Map<Point, Runnable> armed = new ConcurrentHashMap<>();

  @Override
  public void at(Point point, String intent) {
    Runnable fault = armed.remove(point);
    if (fault != null) {
      fault.run();
    }
  }

  public void arm(Point point, Runnable fault) {
    armed.put(point, fault);
  }

  public Stall stall(Point point) {
    Stall stall = new Stall();
    arm(point, stall);
    return stall;
  }

  public void status(Point point, int status) {
    arm(
        point,
        () -> {
          throw Faults.status(status);
        });
  }

  public void crash(Point point) {
    arm(
        point,
        () -> {
          throw Faults.crash();
        });
  }
}
