package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.Oversight;
import dev.steadfast.retry.journal.Oversight.Totals;
import dev.steadfast.retry.operations.OperationJournal;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of a journal. The journal is counted when they are read, at most every 10 s; if it
 * cannot be read they have no value.
 */
final class JournalMeters {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST_NAMES = 100;
  private static final String PREFIX = "steadfast.journal.";

  private final Oversight oversight;
  private final LongSupplier ticker;
  private final MeterRegistry registry;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Counted counted;

  /** The numbers of a moment; null if the journal could not be read. */
  private record Counted(@Nullable Totals totals, long nanos) {}

  JournalMeters(Oversight oversight, MeterRegistry registry, LongSupplier ticker) {
    this.oversight = oversight;
    this.registry = registry;
    this.ticker = ticker;
    register(registry, this::totals);
  }

  /** Registers the gauges; without totals they have no value. */
  static void register(MeterRegistry registry, Supplier<@Nullable Totals> totals) {
    Gauges gauges = new Gauges(registry, totals);
    gauges.number("due", "Operations that are due, up to 10,000", Totals::due);
    gauges.age(
        "due.age", "How long ago the oldest that is still delivered was begun", Totals::dueFor);
    gauges.number("unknown", "Operations whose effect is unknown, up to 10,000", Totals::unknown);
    gauges.number("parked", "Operations that wait for a person, up to 10,000", Totals::parked);
    gauges.age(
        "left.age", "For how long the oldest lease of a dead owner is over", Totals::leftFor);
  }

  /** Makes gauges. */
  private record Gauges(MeterRegistry registry, Supplier<@Nullable Totals> totals) {
    void number(String name, String description, ToLongFunction<Totals> read) {
      Gauge.builder(PREFIX + name, () -> value(read)).description(description).register(registry);
    }

    void age(String name, String description, Function<Totals, Duration> read) {
      TimeGauge.builder(
              PREFIX + name,
              () -> value(totals -> read.apply(totals).toMillis()),
              TimeUnit.MILLISECONDS)
          .description(description)
          .register(registry);
    }

    private double value(ToLongFunction<Totals> read) {
      Totals known = totals.get();
      return known == null ? Double.NaN : read.applyAsLong(known);
    }
  }

  private @Nullable Totals totals() {
    long now = ticker.getAsLong();
    Counted last = counted;
    if (last == null || now - last.nanos() > FRESH_NANOS) {
      last = new Counted(read(), now);
      counted = last;
    }
    return last.totals();
  }

  private @Nullable Totals read() {
    try {
      return oversight.totals();
    } catch (IOException unreadable) {
      LOG.debug("the journal cannot be counted", unreadable);
      return null;
    }
  }

  /** Counts the deliveries of a sender, by the name of the operation. */
  Journaling.Sender counting(Journaling.Sender sender) {
    return (journal, due) -> {
      registry
          .counter(
              PREFIX + "deliveries",
              "operation",
              known(OperationJournal.Intent.of(due).id().name()))
          .increment();
      sender.send(journal, due);
    };
  }

  private String known(String name) {
    return names.contains(name) || (names.size() < MOST_NAMES && names.add(name)) ? name : "other";
  }
}
