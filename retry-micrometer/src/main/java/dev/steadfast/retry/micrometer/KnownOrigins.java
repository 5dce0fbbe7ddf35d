package dev.steadfast.retry.micrometer;

import dev.steadfast.retry.internal.OriginTable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a bounded number of origins; all further origins share one set. Safe for use by
 * many threads.
 *
 * <p>An origin makes room for another one after an hour without an operation, and not earlier: a
 * time series that ends and begins again is a new one to most monitoring systems. So a client that
 * calls made-up host names does not fill them.
 */
final class KnownOrigins implements OriginTable.Values<OriginMeters> {
  /** The tag of all origins that share meters. */
  static final String OTHER = "other";

  private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

  private final OriginTable<OriginMeters> table;
  private final Function<String, OriginMeters> meters;
  private final Registrar registrar;
  private final LongSupplier ticker;
  private @Nullable OriginMeters other; // under the lock of the table
  private volatile boolean closed;

  /**
   * An empty table.
   *
   * @param most how many origins have meters of their own
   * @param meters makes the meters of an origin
   * @param registrar registers and removes them
   * @param ticker monotonic nanoseconds
   */
  KnownOrigins(
      int most, Function<String, OriginMeters> meters, Registrar registrar, LongSupplier ticker) {
    this.table = new OriginTable<>(most, this);
    this.meters = meters;
    this.registrar = registrar;
    this.ticker = ticker;
  }

  /** The meters of an origin. */
  OriginMeters of(String origin) {
    return table.get(origin.equals(OTHER) ? OriginTable.OVERFLOW : origin);
  }

  /** Removes all meters, for good. */
  void close() {
    closed = true;
    table.clear();
  }

  @Override
  public OriginMeters create(String origin, boolean fresh) {
    boolean shared = origin.equals(OriginTable.OVERFLOW);
    OriginMeters known = other;
    if (shared && known != null) {
      return known; // a Retrier has the name "other"
    }
    OriginMeters created = meters.apply(shared ? OTHER : origin);
    if (shared) {
      other = created;
    }
    registrar.runLater(closed ? created::forget : created::begin);
    return created;
  }

  @Override
  public boolean forgettable(OriginMeters candidate, boolean used) {
    long idleNanos = candidate.idleNanos(used, ticker.getAsLong());
    return idleNanos >= HOUR_NANOS && candidate != other;
  }

  @Override
  public void forgotten(String origin, OriginMeters removed) {
    registrar.runLater(removed::forget);
  }
}
