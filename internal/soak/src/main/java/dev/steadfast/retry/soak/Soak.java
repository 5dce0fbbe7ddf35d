package dev.steadfast.retry.soak;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Sends by all entry points for minutes, with faults and cancels, and looks for what remains. */
final class Soak {
  private static final int PER_SECOND = 100;
  private static final int SAMPLES = 20;
  private static final int LONGEST_QUIET_SECONDS = 10;

  // The library's threads end after 10 s without work; work may end some seconds after its call.
  private static final int LONGEST_IDLE_SECONDS = 40;

  private final Duration length;
  private final Ledger ledger = new Ledger();
  private final Samples samples = new Samples();

  Soak(Duration length) {
    this.length = length;
  }

  private HttpRetry retry() {
    return HttpRetry.builder()
        .policy(
            RetryPolicy.builder()
                .totalTimeout(Duration.ofMillis(Traffic.TOTAL_MILLIS))
                .attemptTimeout(Duration.ofMillis(400))
                .bodyIdleTimeout(Duration.ofSeconds(1))
                .build())
        .budget(RetryBudget.unlimited())
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .guard(ledger)
        .listener(ledger)
        .build();
  }

  @SuppressWarnings("SystemOut")
  boolean run() throws IOException {
    // So that connections of this program do not outlive it for long.
    System.setProperty("jdk.httpclient.keepalive.timeout", "2");
    try (SecondJvm server = SecondJvm.start()) {
      Traffic traffic = new Traffic(ledger, server);
      OkTraffic okHttp = new OkTraffic(traffic, retry());
      List<Runnable> kinds = new ArrayList<>(okHttp.kinds());
      kinds.addAll(new JdkTraffic(traffic, retry()).kinds());
      run(kinds, okHttp);
      if (!within(15, () -> connections(server) == 0)) {
        ledger.defect(connections(server) + " connections remain");
      }
    }
    return print();
  }

  private void run(List<Runnable> kinds, OkTraffic okHttp) {
    long end = System.nanoTime() + length.toNanos();
    long next = 0;
    while (System.nanoTime() - end < 0) {
      long pause = System.nanoTime() + length.toNanos() / SAMPLES;
      for (long due = System.nanoTime(); due - pause < 0; due += 1_000_000_000 / PER_SECOND) {
        LockSupport.parkNanos(due - System.nanoTime());
        kinds.get((int) (next++ % kinds.size())).run();
        if (next % PER_SECOND == 0) {
          ledger.check();
        }
      }
      boolean ignored = within(LONGEST_QUIET_SECONDS, ledger::isQuiet);
      ledger.requireQuiet();
      if (!within(LONGEST_QUIET_SECONDS, () -> okHttp.busyConnections() == 0)) {
        ledger.defect(okHttp.busyConnections() + " connections of OkHttp were not given back");
      }
      if (!within(LONGEST_IDLE_SECONDS, () -> Samples.ownThreads().isEmpty())) {
        ledger.defect("threads of the library remain:" + Samples.ownStacks());
      }
      samples.take();
      if (samples.size() == 3 || System.nanoTime() - end >= 0) {
        System.out.println("threads: " + Samples.threadNames());
      }
    }
  }

  private static boolean within(int seconds, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    return true;
  }

  private static int connections(SecondJvm server) {
    try {
      return server.connections();
    } catch (IOException gone) {
      throw new IllegalStateException("the server has ended", gone);
    }
  }

  private boolean print() {
    System.out.printf("operations: %d with %d attempts%n", ledger.operations(), ledger.attempts());
    System.out.printf(
        "ends: %d late; the latest: %s; the control: %d ms%n",
        ledger.late(), ledger.latest(), ledger.control().latestMillis());
    report(samples.heapKib(), 1_024);
    report(samples.threads(), 2);
    report(samples.descriptors(), 2);
    List<String> defects = ledger.defects();
    defects.forEach(each -> System.out.println("DEFECT: " + each));
    System.out.println(defects.isEmpty() ? "CLEAN" : defects.size() + " DEFECTS");
    return defects.isEmpty();
  }

  private void report(Samples.Slope slope, double least) {
    System.out.println(slope);
    if (slope.grows(least)) {
      ledger.defect("growth of " + slope);
    }
  }
}
