package dev.steadfast.retry.micrometer;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one name and origin: one for each combination of its other tags. A meter is
 * registered when its first value comes. Safe for use by many threads.
 */
final class TaggedMeters {
  private final AtomicReferenceArray<@Nullable LongConsumer> meters;
  private final IntFunction<LongConsumer> register;
  private final Registrar registrar;

  /**
   * No meter is registered yet.
   *
   * @param size how many combinations there are
   * @param register registers the meter of a combination; called by the registrar
   * @param registrar for meters that are not registered yet
   */
  TaggedMeters(int size, IntFunction<LongConsumer> register, Registrar registrar) {
    this.meters = new AtomicReferenceArray<>(size);
    this.register = register;
    this.registrar = registrar;
  }

  /** Records a value: nanoseconds, a number, or for a counter the increment. */
  void record(int index, long value) {
    LongConsumer meter = meters.getAcquire(index);
    if (meter == null) {
      registrar.run(() -> registered(index).accept(value));
    } else {
      meter.accept(value);
    }
  }

  /** Registers a meter, if it is not. Called by the registrar. */
  LongConsumer registered(int index) {
    LongConsumer known = meters.getAcquire(index);
    if (known != null) {
      return known;
    }
    LongConsumer meter = TaggedMeters::drop; // if the registry throws; it is not asked again
    try {
      meter = register.apply(index);
    } finally {
      meters.setRelease(index, meter);
    }
    return meter;
  }

  /** Takes the place of a meter that is not there. */
  static void drop(long value) {}
}
