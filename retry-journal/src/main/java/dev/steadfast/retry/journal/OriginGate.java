package dev.steadfast.retry.journal;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the deliveries of this process to each origin. A repeated delivery is paid for as a retry
 * is: 10 tokens, one more each second, a tenth for each success; one that is answered, or that
 * reached nobody, gets its token back, so after an outage the rate rises with the answers. First
 * deliveries are free. The origin is left alone after three deliveries in a row without an answer,
 * for 1 s, 2 s, up to a minute; then a single one tries it. Three answers of 503 with Retry-After
 * in a row have it left alone for that time. Safe for use by many threads.
 */
final class OriginGate {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  private static final int MOST_ORIGINS = 1_000;
  private static final double BURST = 10;
  private static final double PER_SUCCESS = 0.1;
  private static final double PER_SECOND = 1;
  private static final int FIRST_LIMIT = 8;
  private static final int MOST_AT_ONCE = 64;
  private static final int SILENT = 3; // deliveries in a row, before a pause
  private static final long SECOND = 1_000_000_000L;
  private static final long LONGEST_PAUSE = 60 * SECOND;
  private static final long MOST_ASKED = 3_600 * SECOND;

  private final LongSupplier ticker;
  private final DoubleSupplier random; // 0 to 1
  private final Map<String, Origin> origins =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Origin> eldest) {
          return size() > MOST_ORIGINS;
        }
      };

  OriginGate(LongSupplier ticker, DoubleSupplier random) {
    this.ticker = ticker;
    this.random = random;
  }

  /** The state of its destination that a delivery shows. */
  enum Result {
    /** It answered, and not that it cannot serve. */
    ANSWERED,
    /** It answered that it cannot serve. */
    OVERLOADED,
    /** It did not answer. */
    SILENT,
    /** Nothing reached it. */
    UNREACHED,
    /** Nothing was tried. */
    NOTHING
  }

  /** The known facts of an origin; guarded by the gate. */
  private static final class Origin {
    private double tokens = BURST;
    private long refilledAt;
    private long pausedUntil;
    private int silent; // in a row
    private int asking; // in a row
    private double limit = FIRST_LIMIT;
    private int inFlight;

    private Origin(long now) {
      refilledAt = now;
      pausedUntil = now;
    }

    private void refill(long now) {
      tokens = Math.min(BURST, tokens + PER_SECOND * (now - refilledAt) / SECOND);
      refilledAt = now;
    }

    private void add(double some) {
      tokens = Math.min(BURST, tokens + some);
    }
  }

  /**
   * Begins a delivery.
   *
   * @return for how long it is held back; null if it may be made, and {@link #ended} is to follow
   */
  synchronized @Nullable Duration begin(DueRows.OriginGroup lane) {
    Duration held = held(lane);
    if (held == null) {
      Origin origin = origin(lane.name(), ticker.getAsLong());
      origin.inFlight++;
      if (lane.again()) {
        origin.tokens--;
      }
    }
    return held;
  }

  /** How long a delivery would be held back; null if it may be made. */
  synchronized @Nullable Duration held(DueRows.OriginGroup lane) {
    long now = ticker.getAsLong();
    Origin origin = origin(lane.name(), now);
    origin.refill(now);
    if (now - origin.pausedUntil < 0) {
      return spread(origin.pausedUntil - now, 5);
    }
    int limit = origin.silent >= SILENT ? 1 : (int) origin.limit;
    if (origin.inFlight >= limit) {
      return spread(SECOND, 5);
    }
    return lane.again() && origin.tokens < 1 ? spread(SECOND, 30) : null;
  }

  // Deliveries that are held back come again at different times.
  private Duration spread(long nanos, int seconds) {
    return Duration.ofNanos(nanos + (long) (random.getAsDouble() * seconds * SECOND));
  }

  private Origin origin(String name, long now) {
    return origins.computeIfAbsent(name, unknown -> new Origin(now));
  }

  /**
   * Ends a delivery.
   *
   * @param asked for how long the server asked to be left alone; null if it did not
   */
  void ended(DueRows.OriginGroup lane, Result result, @Nullable Duration asked) {
    long pause = end(lane, result, asked);
    if (pause > 0) {
      LOG.warn(
          "deliveries to {} are paused for {} s: {}",
          lane.name(),
          (pause + SECOND - 1) / SECOND,
          asked == null ? "it does not answer" : "it asked for it");
    }
  }

  // Returns for how long the origin is paused from now on; 0 if this changes nothing.
  private synchronized long end(DueRows.OriginGroup lane, Result result, @Nullable Duration asked) {
    long now = ticker.getAsLong();
    Origin origin = origin(lane.name(), now);
    origin.inFlight = Math.max(0, origin.inFlight - 1);
    boolean paid = lane.again() && result != Result.OVERLOADED && result != Result.SILENT;
    origin.add(paid ? 1 : 0);
    origin.asking = result == Result.OVERLOADED && asked != null ? origin.asking + 1 : 0;
    switch (result) {
      case ANSWERED -> {
        origin.silent = 0;
        origin.limit = Math.min(MOST_AT_ONCE, origin.limit + 1);
        origin.add(PER_SUCCESS);
      }
      case OVERLOADED -> origin.silent = 0;
      case SILENT, UNREACHED -> {
        origin.silent++;
        origin.limit = Math.max(1, origin.limit / 2);
      }
      case NOTHING -> {}
    }
    return pause(origin, now, pauseNanos(origin, result, asked));
  }

  private static long pauseNanos(Origin origin, Result result, @Nullable Duration asked) {
    if (asked != null && origin.asking >= SILENT) {
      return asked.compareTo(Duration.ofHours(1)) > 0 ? MOST_ASKED : asked.toNanos();
    }
    boolean silent = result == Result.SILENT || result == Result.UNREACHED;
    return silent && origin.silent >= SILENT
        ? Math.min(LONGEST_PAUSE, SECOND << Math.min(6, origin.silent - SILENT))
        : 0;
  }

  private static long pause(Origin origin, long now, long pause) {
    if (pause == 0 || now + pause - origin.pausedUntil <= 0) {
      return 0;
    }
    origin.pausedUntil = now + pause;
    return pause;
  }
}
