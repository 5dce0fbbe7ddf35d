package dev.steadfast.retry.limit;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.OriginTable;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the attempts that are under way to an origin, and finds the bound itself: an attempt that
 * times out halves it, and attempts that succeed raise it again. So a client sends an overloaded
 * server less, first attempts included, and nobody has to know the right number.
 *
 * <pre>{@code
 * HttpRetry retry = HttpRetry.builder().guard(AdaptiveLimit.perOrigin()).build();
 * }</pre>
 *
 * <p>A limit refuses and never queues: an attempt beyond the limit ends its operation with an
 * {@link AttemptRefusedException}, whose cause is a {@link Refused}. A retry counts as a first
 * attempt does. A place is held from when an attempt leaves the client's own queue until its
 * response head, its failure or its cancellation.
 *
 * <p>Losses are timeouts and refused streams, unless {@link Builder#losses} names others. An answer
 * is no loss, whatever its status: a server that answers 429 or 503 at once is not slow. A timeout
 * is no loss if the request had not been sent yet, or if the deadline of the operation came before
 * half of the attempt's own timeout was over. Neither is a cancelled attempt.
 *
 * <p>Attempts need a bound in time, or a few that never end would hold every place. Streams and
 * long polls are under way for long without harm, and calls of very different speed do not belong
 * under one limit: {@link Builder#keyedBy} separates them, or leaves them out.
 *
 * <p>At most 1,024 limits are kept. If there are more, one without attempts under way is removed;
 * if all are in use, further origins share one. Immutable except for its limits, and safe for use
 * by many threads. Share one object between clients to give them one limit.
 */
public final class AdaptiveLimit implements Guard {
  // Why it is like this: docs/decisions/adaptive-limit.md
  private final Function<OperationInfo, @Nullable String> key;
  private final LimitAccount.Settings settings;
  private final OriginTable<LimitAccount> accounts;

  private AdaptiveLimit(
      Function<OperationInfo, @Nullable String> key, LimitAccount.Settings settings) {
    this.key = key;
    this.settings = settings;
    this.accounts =
        new OriginTable<>(
            new OriginTable.Values<>() {
              @Override
              public LimitAccount create(String origin, boolean fresh) {
                return new LimitAccount(settings);
              }

              @Override
              public boolean forgettable(LimitAccount account, boolean used) {
                return !used && account.inFlight() == 0;
              }
            });
  }

  /**
   * A limit for each origin, from 1 to 200 attempts, which starts at 20.
   *
   * @return a limit with state of its own
   */
  public static AdaptiveLimit perOrigin() {
    return builder().build();
  }

  /**
   * Starts with the settings of {@link #perOrigin}.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Refuses nothing in advance: a limit that is reached now says nothing about the time after a
   * wait.
   */
  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    name(operation); // a function that throws must throw here, where that is no refusal
    return 0;
  }

  /**
   * Takes a place for an attempt.
   *
   * @throws Refused if there is none
   */
  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    String name = name(operation);
    if (name == null) {
      return Permit.none();
    }
    LimitAccount account = accounts.get(name);
    if (account.tryAcquire(nowNanos)) {
      return account;
    }
    throw new Refused(name, account.toString());
  }

  /** Attempts that never end would hold its places for good. */
  @Override
  public boolean requiresAttemptTimeout() {
    return true;
  }

  private @Nullable String name(OperationInfo operation) {
    return key.apply(operation);
  }

  /**
   * How a limit stands. Asking changes nothing.
   *
   * @param key the origin, as in {@code https://api.example.com:443}, or the key of {@link
   *     Builder#keyedBy}
   * @return its state now; that of an unused one if the key is not known
   */
  public State state(String key) {
    LimitAccount account = accounts.find(Checks.notNull("key", key));
    return account == null
        ? new State(settings.range().initial(), 0, 0)
        : new State(account.limit(), account.inFlight(), account.refused());
  }

  @Override
  public String toString() {
    LimitAccount.Range range = settings.range();
    return "adaptive limit (" + range.minimum() + " to " + range.maximum() + ")";
  }

  /**
   * How a limit stood at one time. Immutable.
   *
   * @param limit the attempts that may be under way at one time
   * @param inFlight the attempts that are under way
   * @param refused the attempts that were refused so far
   */
  public record State(int limit, int inFlight, long refused) {}

  /** An attempt beyond the limit. It has no stack trace, as it is part of normal operation. */
  public static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Refused(String key, String state) {
      super("limit of " + key + " reached: " + state, null, false, false);
    }
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private int minimum = 1;
    private int initial = 20;
    private int maximum = 200;
    private boolean initialSet;
    private Set<FailureKind> losses = EnumSet.of(FailureKind.TIMEOUT, FailureKind.REFUSED_STREAM);
    private boolean holdsBack = true;
    private Function<OperationInfo, @Nullable String> key = OperationInfo::origin;
    private LongSupplier random = RetryEnvironment.system().random();

    private Builder() {}

    /**
     * The least that losses leave of the limit. Default 1.
     *
     * @param attempts 1 to the maximum
     * @return this
     */
    public Builder minimum(int attempts) {
      this.minimum = attempts;
      return this;
    }

    /**
     * The value at which the limit of a new key starts. Default 20, or the nearest number from
     * minimum to maximum.
     *
     * @param attempts from the minimum to the maximum
     * @return this
     */
    public Builder initial(int attempts) {
      this.initial = attempts;
      this.initialSet = true;
      return this;
    }

    /**
     * How far the limit may grow. Default 200. Set it close to what the client uses on a busy day.
     * A limit grows only while at least half of it is in use.
     *
     * @param attempts the minimum to 1,000,000
     * @return this
     */
    public Builder maximum(int attempts) {
      this.maximum = attempts;
      return this;
    }

    /**
     * Which failures halve the limit. Default {@link FailureKind#TIMEOUT} and {@link
     * FailureKind#REFUSED_STREAM}: a server that fails at once is rarely overloaded, and a limit
     * that was cut for it delays the recovery. {@link FailureKind#THROTTLED} belongs to the
     * server's delay and is refused here.
     *
     * @param kinds one or more kinds of failure
     * @return this
     * @throws IllegalArgumentException if there is none, or THROTTLED is among them
     * @throws NullPointerException if one is null
     */
    public Builder losses(FailureKind... kinds) {
      EnumSet<FailureKind> all = EnumSet.noneOf(FailureKind.class);
      for (FailureKind kind : Checks.notNull("losses", kinds)) {
        all.add(Checks.notNull("losses", kind));
      }
      if (all.isEmpty() || all.contains(FailureKind.THROTTLED)) {
        throw Checks.bad("losses", all, "one or more kinds, without THROTTLED");
      }
      this.losses = all;
      return this;
    }

    /**
     * Whether a share of the attempts is refused after a loss at the minimum, so that no more than
     * twice as many are sent as succeeded in the last two seconds; at least one in ten is sent. It
     * ends when attempts succeed again, or ten seconds after the last loss. Default true: where
     * many clients send little each, none of them ever reaches a limit of 1.
     *
     * @param holdsBack false for the limit alone
     * @return this
     */
    public Builder holdsBackAtMinimum(boolean holdsBack) {
      this.holdsBack = holdsBack;
      return this;
    }

    /**
     * The function that says which operations share a limit. Default: each origin.
     *
     * @param key gives the key of an operation, of few values; null for an operation without a
     *     limit, such as a long poll; safe for use by many threads. An exception ends the operation
     * @return this
     */
    public Builder keyedBy(Function<OperationInfo, @Nullable String> key) {
      this.key = Checks.notNull("key", key);
      return this;
    }

    /**
     * The random source that draws the attempts that are refused at the minimum. Default: that of
     * {@link RetryEnvironment#system}.
     *
     * @param random numbers of 64 random bits each; safe for use by many threads
     * @return this
     */
    public Builder random(LongSupplier random) {
      this.random = Checks.notNull("random", random);
      return this;
    }

    /**
     * The limit. Each call gives one with state of its own.
     *
     * @return a limit
     * @throws IllegalArgumentException if minimum, initial or maximum is out of its range
     */
    public AdaptiveLimit build() {
      int start = initialSet ? initial : Math.max(minimum, Math.min(maximum, initial));
      LimitAccount.Range range = new LimitAccount.Range(minimum, start, maximum);
      return new AdaptiveLimit(
          key, new LimitAccount.Settings(range, Set.copyOf(losses), holdsBack, random));
    }
  }
}
