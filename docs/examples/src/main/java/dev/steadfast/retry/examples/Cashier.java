package dev.steadfast.retry.examples;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The idempotent {@code POST /payments}: makes the charge, or the fault that is planned. */
final class Cashier {
  private static final Duration SERVER_DELAY = Duration.ofSeconds(1);
  private static final Duration WORK = Duration.ofMillis(300);
  private static final Duration TOO_LATE = DemoRetry.ATTEMPT_TIMEOUT.plusMillis(200);
  private static final Reply SILENCE = Reply.of(0, "").ending(Reply.Ending.SILENCE);

  private final List<Payment> plan;
  private final Ledger ledger;
  private final Arrivals arrivals;
  private final Map<Integer, Visits> visits = new ConcurrentHashMap<>();
  private final Queue<CompletableFuture<?>> works = new ConcurrentLinkedQueue<>();

  Cashier(List<Payment> plan, Ledger ledger, Arrivals arrivals) {
    this.plan = plan;
    this.ledger = ledger;
    this.arrivals = arrivals;
  }

  /** How often a payment was asked for, and since when. */
  private static final class Visits {
    private final long startNanos = System.nanoTime();
    private final AtomicInteger count = new AtomicInteger();

    boolean atMost(int number) {
      return count.get() <= number;
    }

    boolean tooEarly() {
      return System.nanoTime() - startNanos < SERVER_DELAY.toNanos();
    }
  }

  Reply serve(Order order) {
    arrivals.request(order);
    Visits visit = visits.computeIfAbsent(order.payment(), unused -> new Visits());
    visit.count.incrementAndGet();
    return switch (plan.get(order.payment() - 1).fault()) {
      case NONE, CONNECTION_REFUSED, STREAM_REFUSED -> charge(order); // the port does those
      case ANSWER_LOST ->
          visit.atMost(1) ? charge(order).ending(Reply.Ending.SILENCE) : charge(order);
      case STILL_AT_WORK -> visit.atMost(1) ? workOn(order) : charge(order);
      case UNAVAILABLE -> visit.atMost(2) ? Reply.of(503, "overloaded") : charge(order);
      case UNAVAILABLE_WITH_SERVER_DELAY -> visit.tooEarly() ? notBefore(503) : charge(order);
      case THROTTLED -> visit.tooEarly() ? notBefore(429) : charge(order);
      case SLOW -> visit.atMost(1) ? charge(order).late(TOO_LATE) : charge(order);
      case STALE_CONNECTION ->
          visit.atMost(1) ? charge(order).ending(Reply.Ending.CLOSE) : charge(order);
    };
  }

  /** A port refused a stream before anything of its request was read. */
  void refusedStream() {
    arrivals.refusedStream();
  }

  private static Reply notBefore(int status) {
    return Reply.of(status, "come back later")
        .header("Retry-After", Long.toString(SERVER_DELAY.toSeconds()));
  }

  private Reply charge(Order order) {
    return switch (ledger.open(order.key())) {
      case OPENED -> {
        ledger.charge(order);
        yield Reply.of(201, "paid");
      }
      case OPEN -> notBefore(409);
      case CHARGED -> Reply.of(201, "paid").header("Idempotent-Replayed", "true");
    };
  }

  /** Goes on working after the connection is lost, and charges when the work is done. */
  private Reply workOn(Order order) {
    if (ledger.open(order.key()) == Ledger.Entry.OPENED) {
      Executor later = CompletableFuture.delayedExecutor(WORK.toMillis(), TimeUnit.MILLISECONDS);
      works.add(CompletableFuture.runAsync(() -> ledger.charge(order), later));
    }
    return SILENCE;
  }

  /** Waits until nothing is at work any more. */
  void finishWork() {
    works.forEach(CompletableFuture::join);
  }
}
