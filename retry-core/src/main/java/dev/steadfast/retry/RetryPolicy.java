package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How often, how long and with what waits an operation is tried.
 *
 * <pre>{@code
 * RetryPolicy policy =
 *     RetryPolicy.builder().maxAttempts(4).totalTimeout(Duration.ofSeconds(10)).build();
 * RetryPolicy fromText = RetryPolicy.valueOf("maxAttempts=4; totalTimeout=10s"); // an equal one
 * }</pre>
 *
 * <p>An immutable value: compare it, print it, read it back with {@link #valueOf}, share it between
 * any number of threads. Spring, Jackson and MicroProfile Config call {@code valueOf} by
 * themselves, so a property may have this type.
 *
 * <p>The defaults bound everything: 3 attempts, full jitter from 100 ms to 20 s, 30 s in total.
 */
public final class RetryPolicy {
  // Why it is like this: docs/decisions/defaults.md
  /**
   * The choice of what to do if the server asks for a longer wait than the ceiling.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  public enum AboveCeiling {
    /** End the operation and expose the delay: a shortened wait is sure to fail. The default. */
    GIVE_UP,
    /** Wait for the ceiling instead. */
    CLAMP
  }

  private static final RetryPolicy DEFAULTS = builder().build();

  private final Builder settings; // a copy that nobody changes

  private RetryPolicy(Builder builder) {
    this.settings = new Builder(builder);
  }

  /** {@return the shared policy that applies where nothing is configured} */
  public static RetryPolicy defaults() {
    return DEFAULTS;
  }

  /** {@return a policy with one attempt, and the usual 30 s in total} */
  public static RetryPolicy noRetry() {
    return builder().maxAttempts(1).build();
  }

  /** {@return a builder that starts with the defaults} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads the form that {@link #toString} prints: {@code name=value} pairs, separated by a
   * semicolon, in any order, each at most once. A setting that is not named keeps its default. The
   * names are {@code maxAttempts}, {@code backoff}, {@code totalTimeout}, {@code attemptTimeout}
   * and {@code bodyIdleTimeout} (these three may be {@code none}; the attempt timeout may be a list
   * such as {@code 1s,2s,5s}), {@code minimumAttempt}, {@code maxServerDelay}, {@code aboveCeiling}
   * ({@code give-up} or {@code clamp}) and {@code serverDelaySpread}. The backoff after one kind of
   * failure is {@code backoff.} with the kind in small letters and hyphens, as in {@code
   * backoff.throttled=full(1s..20s)} and {@code backoff.connection-lost=none}.
   *
   * <p>A duration is a number with a unit, or several with the largest first: {@code 90s}, {@code
   * 1m30s} and {@code 1.5m} are equal. The units are {@code ns}, {@code us}, {@code ms}, {@code s},
   * {@code m}, {@code h} and {@code d}.
   *
   * @param text for instance {@code maxAttempts=4; backoff=full(100ms..20s); totalTimeout=30s}
   * @return the policy
   * @throws IllegalArgumentException if the text has another form or a value is out of its range;
   *     the message points at the character
   */
  public static RetryPolicy valueOf(String text) {
    return PolicyText.parse(text);
  }

  /** {@return the most attempts that an operation makes, the first one included: 1 or more} */
  public int maxAttempts() {
    return settings.maxAttempts;
  }

  /** {@return the wait between attempts, after failures of kinds that have no wait of their own} */
  public Backoff backoff() {
    return settings.backoff;
  }

  /**
   * The wait after a failure of one kind.
   *
   * @param kind what went wrong with the attempt before
   * @return the strategy of that kind, or {@link #backoff()} if it has none
   */
  public Backoff backoff(FailureKind kind) {
    Backoff own = settings.backoffByKind.get(Checks.notNull("kind", kind));
    return own == null ? settings.backoff : own;
  }

  Map<FailureKind, Backoff> backoffByKind() {
    return settings.backoffByKind;
  }

  /** {@return the bound on the operation with all its attempts and waits, empty for none} */
  public Optional<Duration> totalTimeout() {
    return settings.totalTimeoutNanos == 0
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(settings.totalTimeoutNanos));
  }

  /**
   * The bound on one attempt.
   *
   * @param attempt the number of the attempt, from 1
   * @return the bound, empty for none
   * @throws IllegalArgumentException if the number is less than 1
   */
  public Optional<Duration> attemptTimeout(int attempt) {
    Checks.atLeast("attempt", attempt, 1);
    int count = settings.attemptTimeoutNanos.length;
    long nanos =
        count == 0 ? Long.MAX_VALUE : settings.attemptTimeoutNanos[Math.min(attempt, count) - 1];
    return nanos == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
  }

  /**
   * {@return the bounds on single attempts, by attempt: an immutable list, empty for none; its last
   * entry holds for all attempts that follow}
   */
  public List<Duration> attemptTimeouts() {
    return List.of(
        Arrays.stream(settings.attemptTimeoutNanos)
            .mapToObj(Duration::ofNanos)
            .toArray(Duration[]::new));
  }

  /**
   * {@return the bound on the time in which no byte of a body moves, on {@code java.net.http};
   * empty for none}
   */
  public Optional<Duration> bodyIdleTimeout() {
    return settings.bodyIdleTimeoutNanos == Long.MAX_VALUE
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(settings.bodyIdleTimeoutNanos));
  }

  /**
   * {@return the least time that must be left after a wait for an attempt to be worth starting:
   * more than zero}
   */
  public Duration minimumAttempt() {
    return Duration.ofNanos(settings.minimumAttemptNanos);
  }

  /** {@return the longest server delay that is waited for: zero or more} */
  public Duration maxServerDelay() {
    return Duration.ofNanos(settings.maxServerDelayNanos);
  }

  /** {@return the choice for a delay above the ceiling} */
  public AboveCeiling aboveCeiling() {
    return settings.aboveCeiling;
  }

  /**
   * {@return how far clients that got the same server delay are spread, as a share of the server
   * delay: 0 to 10}
   */
  public double serverDelaySpread() {
    return settings.serverDelaySpread;
  }

  /** {@return a builder that starts with this policy} */
  public Builder toBuilder() {
    return new Builder(settings);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RetryPolicy that
        && settings.maxAttempts == that.settings.maxAttempts
        && settings.backoff.equals(that.settings.backoff)
        && settings.backoffByKind.equals(that.settings.backoffByKind)
        && settings.totalTimeoutNanos == that.settings.totalTimeoutNanos
        && Arrays.equals(settings.attemptTimeoutNanos, that.settings.attemptTimeoutNanos)
        && settings.bodyIdleTimeoutNanos == that.settings.bodyIdleTimeoutNanos
        && settings.minimumAttemptNanos == that.settings.minimumAttemptNanos
        && settings.maxServerDelayNanos == that.settings.maxServerDelayNanos
        && settings.aboveCeiling == that.settings.aboveCeiling
        && settings.serverDelaySpread == that.settings.serverDelaySpread;
  }

  @Override
  public int hashCode() {
    int hash = 31 * settings.maxAttempts + settings.backoff.hashCode();
    hash = 31 * hash + Long.hashCode(settings.totalTimeoutNanos);
    return 31 * hash + Long.hashCode(settings.bodyIdleTimeoutNanos);
  }

  /**
   * {@return the text form, every setting with its unit} {@link #valueOf} reads it, unless the
   * policy has a backoff that the user wrote.
   */
  @Override
  public String toString() {
    return PolicyText.print(this);
  }

  /** Collects settings; not safe for use by several threads. Setters may come in any order. */
  public static final class Builder {
    private int maxAttempts = 3;
    private Backoff backoff = Backoff.fullJitter(Duration.ofMillis(100), Duration.ofSeconds(20));
    private Map<FailureKind, Backoff> backoffByKind = Map.of(); // policies share it
    private long totalTimeoutNanos = 30_000_000_000L; // 0 for none
    private long[] attemptTimeoutNanos = {}; // by attempt, the last for all that follow
    private long bodyIdleTimeoutNanos = Long.MAX_VALUE; // for none
    private long minimumAttemptNanos = 1_000_000;
    private long maxServerDelayNanos = 60_000_000_000L;
    private AboveCeiling aboveCeiling = AboveCeiling.GIVE_UP;
    private double serverDelaySpread = 1;

    private Builder() {}

    private Builder(Builder other) {
      this.maxAttempts = other.maxAttempts;
      this.backoff = other.backoff;
      this.backoffByKind = other.backoffByKind;
      this.totalTimeoutNanos = other.totalTimeoutNanos;
      this.attemptTimeoutNanos = other.attemptTimeoutNanos;
      this.bodyIdleTimeoutNanos = other.bodyIdleTimeoutNanos;
      this.minimumAttemptNanos = other.minimumAttemptNanos;
      this.maxServerDelayNanos = other.maxServerDelayNanos;
      this.aboveCeiling = other.aboveCeiling;
      this.serverDelaySpread = other.serverDelaySpread;
    }

    /**
     * The most attempts, the first one included. Default 3: more than that helps rarely and
     * multiplies load (Handling Overload, SRE book).
     *
     * @param maxAttempts 1 or more; 1 means no retry
     * @return this
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder maxAttempts(int maxAttempts) {
      this.maxAttempts = Checks.atLeast("maxAttempts", maxAttempts, 1);
      return this;
    }

    /**
     * The wait between attempts, except after failures of a kind that has its own. Default: full
     * jitter from 100 ms to 20 s.
     *
     * @param backoff a strategy
     * @return this
     */
    public Builder backoff(Backoff backoff) {
      this.backoff = Checks.notNull("backoff", backoff);
      return this;
    }

    /**
     * The wait after a failure of one kind. Default: that of {@link #backoff(Backoff)} for all
     * kinds. A server that limits the rate needs a longer wait than a connection that broke; the
     * AWS SDKs (retry behaviour 2.1) start at 50 ms, and after throttling at 1 s:
     *
     * <pre>{@code
     * RetryPolicy.builder()
     *     .backoff(Backoff.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(20)))
     *     .backoff(
     *         FailureKind.THROTTLED,
     *         Backoff.fullJitter(Duration.ofSeconds(1), Duration.ofSeconds(20)))
     * }</pre>
     *
     * <p>The strategy gets the number of the retry within the operation, whatever the kinds of the
     * failures before. A server delay is still obeyed if it is longer.
     *
     * @param kind what went wrong with the attempt before
     * @param backoff a strategy; it replaces an earlier one for this kind
     * @return this
     */
    public Builder backoff(FailureKind kind, Backoff backoff) {
      Map<FailureKind, Backoff> copy = new EnumMap<>(FailureKind.class);
      copy.putAll(backoffByKind);
      copy.put(Checks.notNull("kind", kind), Checks.notNull("backoff", backoff));
      this.backoffByKind = copy;
      return this;
    }

    /**
     * The bound on the whole operation: attempts, waits and delays that servers ask for, and the
     * response body where it is known to be collected in memory. It ends with the head for other
     * response bodies. It does not run while a request body is sent. Default 30 s. If nothing else
     * bounds an attempt, a silent one lasts until then, and is not retried.
     *
     * @param totalTimeout more than zero
     * @return this
     * @throws IllegalArgumentException if it is zero or negative
     */
    public Builder totalTimeout(Duration totalTimeout) {
      this.totalTimeoutNanos = Durations.nanos(Checks.positive("totalTimeout", totalTimeout));
      return this;
    }

    /**
     * No bound on the whole operation. Dangerous: with many attempts and long server delays an
     * operation may take hours.
     *
     * @return this
     */
    public Builder noTotalTimeout() {
      this.totalTimeoutNanos = 0;
      return this;
    }

    /**
     * The bound on one attempt up to its response head, the request body included. Default: none
     * but the time that remains and the client's own timeouts. {@code java.net.http} and HttpClient
     * 5 have none by default.
     *
     * @param attemptTimeout more than zero
     * @return this
     * @throws IllegalArgumentException if it is zero or negative
     */
    public Builder attemptTimeout(Duration attemptTimeout) {
      return attemptTimeouts(List.of(Checks.notNull("attemptTimeout", attemptTimeout)));
    }

    /**
     * The bound on one attempt by its number: short first, long last. The last entry holds for all
     * attempts that follow.
     *
     * @param attemptTimeouts one entry or more, each more than zero
     * @return this
     * @throws IllegalArgumentException if the list is empty or an entry is zero or negative
     */
    public Builder attemptTimeouts(List<Duration> attemptTimeouts) {
      if (Checks.notNull("attemptTimeouts", attemptTimeouts).isEmpty()) {
        throw Checks.bad("attemptTimeouts", attemptTimeouts, "one entry or more");
      }
      this.attemptTimeoutNanos =
          attemptTimeouts.stream()
              .mapToLong(each -> Durations.nanos(Checks.positive("attemptTimeout", each)))
              .toArray();
      return this;
    }

    /**
     * No bound on one attempt but the time that remains and the client's own timeouts, which is the
     * default. It undoes {@link #attemptTimeout} and {@link #attemptTimeouts}.
     *
     * @return this
     */
    public Builder noAttemptTimeout() {
      this.attemptTimeoutNanos = new long[0];
      return this;
    }

    /**
     * The longest silence within a body, on {@code java.net.http}. Default none, as a server may
     * pause a stream for minutes. If the client waits for the network and no byte of a request or
     * response body arrives for that long, the operation, or the reading of the body, ends with
     * {@code HttpTimeoutException}. A response whose body is known to be collected in memory is
     * bounded by the total timeout too. This setting has no effect on OkHttp, whose own read and
     * write timeouts do the same.
     *
     * @param bodyIdleTimeout more than zero
     * @return this
     * @throws IllegalArgumentException if it is zero or negative
     */
    public Builder bodyIdleTimeout(Duration bodyIdleTimeout) {
      this.bodyIdleTimeoutNanos =
          Durations.nanos(Checks.positive("bodyIdleTimeout", bodyIdleTimeout));
      return this;
    }

    /**
     * No bound on the time in which no byte of a body moves, which is the default. A stalled
     * transfer that nothing else bounds never ends.
     *
     * @return this
     */
    public Builder noBodyIdleTimeout() {
      this.bodyIdleTimeoutNanos = Long.MAX_VALUE;
      return this;
    }

    /**
     * The least time that must be left after a wait: a retry that would get less is not made.
     * Default 1 ms.
     *
     * @param minimumAttempt more than zero
     * @return this
     * @throws IllegalArgumentException if it is zero or negative
     */
    public Builder minimumAttempt(Duration minimumAttempt) {
      this.minimumAttemptNanos = Durations.nanos(Checks.positive("minimumAttempt", minimumAttempt));
      return this;
    }

    /**
     * The longest server delay that is waited for. Default 60 s.
     *
     * @param maxServerDelay zero or more
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public Builder maxServerDelay(Duration maxServerDelay) {
      this.maxServerDelayNanos =
          Durations.nanos(Checks.notNegative("maxServerDelay", maxServerDelay));
      return this;
    }

    /**
     * The choice of what to do if a server asks for more than the ceiling. Default: give up and
     * expose the delay.
     *
     * @param aboveCeiling the choice
     * @return this
     */
    public Builder aboveCeiling(AboveCeiling aboveCeiling) {
      this.aboveCeiling = Checks.notNull("aboveCeiling", aboveCeiling);
      return this;
    }

    /**
     * How far clients that got the same server delay are spread: up to this share of the server
     * delay is added, and never more than 10 s. Default 1: clients that were all told "10 s" do not
     * come back at the same moment.
     *
     * @param serverDelaySpread 0 to 10
     * @return this
     * @throws IllegalArgumentException if it is out of its range or NaN
     */
    public Builder serverDelaySpread(double serverDelaySpread) {
      this.serverDelaySpread =
          Checks.within("serverDelaySpread", serverDelaySpread, 0, 10) + 0.0; // no minus zero
      return this;
    }

    /**
     * The policy.
     *
     * @return an immutable policy
     * @throws IllegalArgumentException if the minimal attempt does not fit into the total timeout
     */
    public RetryPolicy build() {
      if (totalTimeoutNanos != 0 && minimumAttemptNanos > totalTimeoutNanos) {
        throw Checks.bad(
            "minimumAttempt",
            Durations.print(minimumAttemptNanos),
            "at most totalTimeout, " + Durations.print(totalTimeoutNanos));
      }
      return new RetryPolicy(this);
    }
  }
}
