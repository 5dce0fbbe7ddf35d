package dev.steadfast.retry.micrometer;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.AttemptFigures;
import dev.steadfast.retry.internal.ReportFigures;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The meters of one origin. Safe for use by many threads. */
final class OriginMeters {
  private static final StopReason[] REASONS = StopReason.values();
  private static final DelayReason[] DELAYS = DelayReason.values();
  private static final FailureKind[] KINDS = FailureKind.values();
  private static final int STATUSES = 6; // none, and 1xx to 5xx
  private static final PathEvent[] PATHS = PathEvent.values();
  private static final String NONE = "none";
  private static final double[] BUCKETS = {1, 2, 3, 4, 5}; // those of gRFC A96

  private final UsedMeters used;
  private final Tags tags;
  private final Registrar registrar;
  private final @Nullable Supplier<Number> available;
  private final TaggedMeters operations;
  private final TaggedMeters attempts;
  private final TaggedMeters delays;
  private final TaggedMeters retries;
  private final TaggedMeters refused;
  private final TaggedMeters unknown;
  private final TaggedMeters replayed;
  private final TaggedMeters paths;

  // Used by the registrar alone.
  private final List<Meter> registered = new ArrayList<>();
  private boolean forgotten;

  // Used by the table of origins.
  private long usedNanos;

  /**
   * No meter is registered yet.
   *
   * @param used where the meters go
   * @param tags the tags of all meters: client and origin
   * @param registrar registers them
   * @param available what the gauge of the budget shows, null for no gauge
   */
  OriginMeters(
      UsedMeters used, Tags tags, Registrar registrar, @Nullable Supplier<Number> available) {
    this.used = used;
    this.tags = tags;
    this.registrar = registrar;
    this.available = available;
    this.operations =
        meters(REASONS.length, i -> timer(MeterName.OPERATIONS, "reason", text(REASONS[i])));
    this.attempts = meters((KINDS.length + 1) * STATUSES, this::attemptTimer);
    this.delays = meters(DELAYS.length, i -> timer(MeterName.DELAY, "why", text(DELAYS[i])));
    this.retries = meters(1, i -> histogram());
    this.refused =
        meters(REASONS.length, i -> counter(MeterName.REFUSED, "reason", text(REASONS[i])));
    this.unknown = meters(1, i -> counter(MeterName.UNKNOWN));
    this.replayed = meters(1, i -> counter(MeterName.REPLAYED));
    this.paths = meters(PATHS.length, i -> counter(MeterName.PATHS, "event", text(PATHS[i])));
  }

  // Recording.

  void attempt(AttemptFigures attempt) {
    FailureKind kind = attempt.kindOrNull();
    int status = attempt.statusOrNone() / 100;
    int known = status >= 1 && status < STATUSES ? status : 0;
    attempts.record((kind == null ? 0 : index(kind) + 1) * STATUSES + known, attempt.tookNanos());
  }

  void delay(DelayReason why, long nanos) {
    delays.record(index(why), nanos);
  }

  void path(PathEvent event) {
    paths.record(index(event), 1);
  }

  void operation(RetryReport report) {
    StopReason reason = report.reason();
    operations.record(index(reason), ReportFigures.elapsedNanos(report));
    if (report.attempts() > 1) {
      retries.record(0, report.attempts() - 1);
    }
    if (report.attempts() > 0 && isRefusal(reason)) {
      refused.record(index(reason), 1);
    }
    // A redirect that is handed to the caller proves little, and is no failure.
    boolean failed = reason != StopReason.ACCEPTED || report.saved().isPresent();
    if (failed && ReportFigures.effectUnknown(report)) {
      unknown.record(0, 1);
    }
    if (report.replayed()) {
      replayed.record(0, 1);
    }
  }

  // No retry is refused after the last attempt of the policy: the operation has made them all.
  private static boolean isRefusal(StopReason reason) {
    return switch (reason) {
      case NOT_REPLAYABLE, BODY_NOT_REPEATABLE -> true;
      case ATTEMPTS_EXHAUSTED -> false;
      default -> reason.gaveUp();
    };
  }

  // Tags.

  @SuppressWarnings("EnumOrdinal") // an index within this process, which is stored nowhere
  private static int index(Enum<?> value) {
    return value.ordinal();
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private LongConsumer attemptTimer(int index) {
    int kind = index / STATUSES;
    int status = index % STATUSES;
    return timer(
        MeterName.ATTEMPTS,
        "kind",
        kind == 0 ? NONE : text(KINDS[kind - 1]),
        "status",
        status == 0 ? NONE : status + "xx");
  }

  // Tasks of the registrar.

  /**
   * Registers meters that must be there beforehand: an alert on the increase of a counter does not
   * notice one that starts at 1.
   */
  void begin() {
    unknown.registered(0);
    replayed.registered(0);
    if (available != null && !forgotten) {
      keep(
          Gauge.builder(MeterName.BUDGET.text(), available)
              .description(MeterName.BUDGET.description())
              .tags(tags)
              .register(used.registry()));
    }
  }

  /** Removes all meters. Values that come later are dropped. */
  void forget() {
    forgotten = true;
    // A task each: one that throws does not keep the others.
    registered.forEach(meter -> registrar.runLater(() -> used.leave(meter)));
    registered.clear();
  }

  private TaggedMeters meters(int size, IntFunction<LongConsumer> register) {
    return new TaggedMeters(
        size, i -> forgotten ? TaggedMeters::drop : register.apply(i), registrar);
  }

  private LongConsumer timer(MeterName name, String... further) {
    Timer timer =
        keep(
            Timer.builder(name.text())
                .description(name.description())
                .tags(tags.and(further))
                .register(used.registry()));
    return nanos -> timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  private LongConsumer counter(MeterName name, String... further) {
    Counter counter =
        keep(
            Counter.builder(name.text())
                .description(name.description())
                .tags(tags.and(further))
                .register(used.registry()));
    return counter::increment;
  }

  private LongConsumer histogram() {
    DistributionSummary summary =
        keep(
            DistributionSummary.builder(MeterName.RETRIES.text())
                .description(MeterName.RETRIES.description())
                .serviceLevelObjectives(BUCKETS)
                .tags(tags)
                .register(used.registry()));
    return summary::record;
  }

  private <M extends Meter> M keep(M meter) {
    registered.add(meter);
    used.use(meter);
    return meter;
  }

  // Called by the table of origins, under its lock.

  /**
   * How long ago it was last known to be used, in nanoseconds.
   *
   * @param used whether it was used since the last call
   * @param nowNanos the time
   */
  long idleNanos(boolean used, long nowNanos) {
    if (used) {
      usedNanos = nowNanos;
    }
    return nowNanos - usedNanos;
  }
}
