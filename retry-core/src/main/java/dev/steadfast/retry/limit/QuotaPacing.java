package dev.steadfast.retry.limit;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.OriginTable;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Spreads what a server says is left of a quota evenly until the quota is whole again, so that the
 * server has little to refuse. An attempt waits for its turn, and holds no thread of an
 * asynchronous client meanwhile.
 *
 * <pre>{@code
 * HttpRetry retry = HttpRetry.builder().guard(QuotaPacing.perOrigin()).build();
 * }</pre>
 *
 * <p>The quotas are read from the headers of every answer: {@code RateLimit} and {@code
 * RateLimit-Policy}, {@code x-ratelimit-remaining-requests} and {@code -tokens}, {@code
 * anthropic-ratelimit-*}, and {@code x-ratelimit-remaining} with a reset in seconds. If there are
 * several, the strictest decides. Values that cannot be read are ignored. Nothing is learned after
 * a redirect to another origin.
 *
 * <p>A quota that only the contract names is set by {@link Builder#quota}, and needs no headers:
 *
 * <pre>{@code
 * QuotaPacing pacing = QuotaPacing.builder().quota(100, Duration.ofMinutes(1)).build();
 * }</pre>
 *
 * <p>An operation waits at most until its deadline. If its turn comes later, it ends at once with
 * an {@link AttemptRefusedException} that tells the delay. A turn is reserved: an operation that
 * was told to wait need not wait again, unless another client has spent what was left. A burst is
 * spread even where much is left. Requests are held at most 10 s apart, and no value is believed
 * for more than an hour.
 *
 * <p>Where requests differ in their cost, as for tokens, an attempt reserves what {@code
 * RetryOptions.cost} says; without that, what 95 of 100 requests were seen to cost. It waits until
 * so much is left, first come, first served. The headers of its answer settle what it has cost, or
 * {@link #settle}. Until five costs are known, attempts without a cost of their own go one at a
 * time. Such a quota is not spread: it may be spent at the beginning of its window. A cost above
 * the whole quota ends the operation at once, with an {@link AttemptRefusedException} whose cause
 * tells the largest one.
 *
 * <p>Requests of several accounts need a key each ({@link Builder#keyedBy}): answers that name
 * different partitions under one key hold nothing back, as nobody knows whose quota the next
 * request will spend.
 *
 * <p>At most 1,024 keys are remembered. If there are more, one that is not in use is forgotten; if
 * all are, further keys are not held back, or share the quota of {@link Builder#quota}. Immutable
 * except for what it has learned, and safe for use by many threads. Share one object between
 * clients to give them the same quotas.
 */
public final class QuotaPacing implements Guard {
  // Why it is like this: docs/decisions/quota-pacing.md
  private static final Duration LEAST_WINDOW = Duration.ofMillis(1);
  private static final Duration MOST_WINDOW = Duration.ofDays(1);

  private final Function<OperationInfo, @Nullable String> key;
  private final FixedQuota.@Nullable Contract fixed; // what the user has named
  final Map<OperationInfo, Turn> turns = new ConcurrentHashMap<>();
  private final PacedAccount nobodys;
  private volatile long latestNanos; // where the user has named a quota: when it was last spent
  private final OriginTable<PacedAccount> accounts =
      new OriginTable<>(
          new OriginTable.Values<>() {
            @Override
            public PacedAccount create(String name, boolean fresh) {
              return name.equals(OriginTable.OVERFLOW) ? nobodys : newAccount();
            }

            @Override
            public boolean forgettable(PacedAccount account, boolean used) {
              return !used && account.isIdle(latestNanos);
            }
          });

  private QuotaPacing(Builder builder) {
    this.key = builder.key;
    this.fixed = builder.fixed;
    this.nobodys = newAccount();
  }

  private PacedAccount newAccount() {
    return new PacedAccount(turns, fixed == null ? null : new FixedQuota(fixed));
  }

  /**
   * Pacing by the quotas of each origin.
   *
   * @return pacing that has learned nothing
   */
  public static QuotaPacing perOrigin() {
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

  /** Reserves a turn for the operation if an attempt has to wait. */
  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    PacedAccount account = account(operation, nowNanos);
    return account == null ? 0 : account.admitsInNanos(operation, nowNanos);
  }

  /**
   * Admits an attempt whose turn it is.
   *
   * @throws IllegalArgumentException if it costs more than a whole quota
   * @throws RuntimeException if its turn comes later; it has a turn reserved then
   */
  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    PacedAccount account = account(operation, nowNanos);
    if (account == null) {
      return Permit.none();
    }
    Turn turn = account.acquire(operation, nowNanos);
    if (!turn.runs()) {
      throw ServerDelayPendingException.ofQuota(Duration.ofNanos(turn.leftNanos(nowNanos)));
    }
    return turn;
  }

  /** Gives up the turn that the operation has reserved. */
  @Override
  public void operationEnded(OperationInfo operation) {
    Turn turn = turns.isEmpty() ? null : turns.remove(operation);
    if (turn != null) {
      turn.withdraw();
    }
  }

  private @Nullable PacedAccount account(OperationInfo operation, long nowNanos) {
    String name = key.apply(operation);
    boolean books = fixed != null || operation.cost() > 0;
    PacedAccount account = name == null ? null : account(name, books, nowNanos);
    Turn turn = turns.isEmpty() ? null : turns.get(operation);
    if (turn != null && (account == null || !turn.of(account))) {
      turn.withdraw(); // the key has changed, or is forgotten
    }
    return account;
  }

  // An attempt before any quota is known is booked only if its cost is told, or a quota is named.
  private @Nullable PacedAccount account(String name, boolean books, long nowNanos) {
    if (!books) {
      return accounts.find(name);
    }
    latestNanos = nowNanos;
    return accounts.get(name);
  }

  @Override
  public boolean learnsQuotas() {
    return true;
  }

  /**
   * Learns from an answer. {@code HttpRetry} does this by itself; for authors of adapters, and for
   * quotas that are told elsewhere than in headers.
   *
   * @param operation the operation that was answered. Call this before it has ended
   * @param quotas what the answer says; nothing is learned from none
   * @param nowNanos when the head of the answer came
   */
  @Override
  public void learn(OperationInfo operation, List<Quota> quotas, long nowNanos) {
    Checks.notNull("operation", operation);
    String name = Checks.notNull("quotas", quotas).isEmpty() ? null : key.apply(operation);
    if (name == null) {
      return;
    }
    PacedAccount account = accounts.get(name);
    if (!account.equals(nobodys)) {
      account.learn(turns.get(operation), quotas, nowNanos);
    }
  }

  /**
   * Tells what a call has cost, as by the usage that its answer names: for a server whose headers
   * do not tell. Corrects what is left of the quotas in which requests differ in their cost, and
   * what the next ones are expected to cost. Does nothing while no such quota is known.
   *
   * @param key the origin, as in {@link #state}, or the key of {@link Builder#keyedBy}
   * @param reserved the cost that the call was given in its {@code RetryOptions}; 0 if none
   * @param used what it has cost, 0 or more
   * @throws IllegalArgumentException if a number is negative
   */
  public void settle(String key, int reserved, int used) {
    Checks.atLeast("reserved", reserved, 0);
    Checks.atLeast("used", used, 0);
    PacedAccount account = accounts.find(Checks.notNull("key", key));
    if (account != null) {
      account.settle(reserved, used);
    }
  }

  /**
   * How the quotas of a key stand. Asking changes nothing.
   *
   * @param key the origin, as in {@code https://api.example.com:443}, or the key of {@link
   *     Builder#keyedBy}
   * @return their state after the latest answer
   */
  public State state(String key) {
    PacedAccount account = accounts.find(Checks.notNull("key", key));
    if (account == null) {
      return new State(fixed == null ? Long.MAX_VALUE : fixed.requests(), 0, 0);
    }
    PacedAccount.Standing now = account.state();
    return new State(now.remaining(), now.inFlight(), now.waiting());
  }

  @Override
  public String toString() {
    return "quota pacing (" + accounts.size() + " keys)";
  }

  /**
   * How the quotas of a key stood at one time. Immutable.
   *
   * @param remaining the units that were left of the quota with the fewest; {@link Long#MAX_VALUE}
   *     if none is known
   * @param inFlight the attempts that are under way and have got no answer that tells of quotas,
   *     without those from before the first quota was known
   * @param waiting the operations that wait for their turn
   */
  public record State(long remaining, int inFlight, int waiting) {}

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private Function<OperationInfo, @Nullable String> key = OperationInfo::origin;
    private FixedQuota.@Nullable Contract fixed;

    private Builder() {}

    /**
     * A quota that the contract with the server names, for each key: it holds whether or not
     * answers tell of quotas, and the stricter one decides. No more attempts than this are sent
     * within the window, wherever it begins; they are spread evenly, at most 10 s apart. Default:
     * none.
     *
     * @param requests how many attempts, 1 to 1,000,000
     * @param window in which time, 1 ms to 24 h
     * @return this
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public Builder quota(int requests, Duration window) {
      Checks.within("requests", requests, 1, 1_000_000);
      Checks.notNull("window", window);
      if (window.compareTo(LEAST_WINDOW) < 0 || window.compareTo(MOST_WINDOW) > 0) {
        throw Checks.bad("window", Durations.print(window), "1ms to 24h");
      }
      this.fixed = FixedQuota.Contract.of(requests, window.toNanos());
      return this;
    }

    /**
     * The function that says which operations share quotas, such as those of one API key. Default:
     * each origin.
     *
     * @param key gives the key of an operation, always the same; null for an operation that is not
     *     paced; safe for use by many threads. An exception ends the operation
     * @return this
     * @throws NullPointerException if it is null
     */
    public Builder keyedBy(Function<OperationInfo, @Nullable String> key) {
      this.key = Checks.notNull("key", key);
      return this;
    }

    /**
     * The guard. Each call gives one that has learned nothing.
     *
     * @return pacing with these settings
     */
    public QuotaPacing build() {
      return new QuotaPacing(this);
    }
  }
}
