package dev.steadfast.retry.http;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Contexts;
import dev.steadfast.retry.internal.DefaultBudgetCounter;
import dev.steadfast.retry.limit.QuotaPacing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a client retries HTTP calls: policy, budget, idempotency keys, rules, guards and listeners.
 *
 * <pre>{@code
 * HttpRetry retry =
 *     HttpRetry.builder()
 *         .policy(RetryPolicy.builder().maxAttempts(4).build())
 *         .idempotencyKeys(IdempotencyKeys.randomUuid()) // if the server honours them
 *         .build();
 * }</pre>
 *
 * <p>One immutable configuration, safe for use by many threads, that any number of clients may
 * share. Clients that share it share its budget.
 *
 * <p>{@link #defaults()} is safe without any configuration: it retries what is replayable, 3
 * attempts within 30 s, and adds at most one retry per ten successes in the long run. No key is
 * added, no header is sent.
 */
public final class HttpRetry {
  private static final int LARGEST_ANSWER = 1 << 20;
  private static final HttpRetry DEFAULTS = builder().build();

  private final Builder settings;
  private final RetryPlan plan;
  private final Set<Integer> bodiesRead; // of answers, by the rules
  private final SignalReader signals;
  private final LearningGuards learning;

  private HttpRetry(Builder builder) {
    RetryBudget budget = builder.budget();
    this.settings = new Builder(builder);
    this.learning =
        new LearningGuards(builder.serverDelayGate ? new ServerDelayGate() : null, builder.guards);
    this.plan =
        RetryPlan.of(builder.policy, budget, builder.environment)
            .withGuards(learning.all())
            .withListeners(builder.listeners)
            .withContext(builder.context);
    this.bodiesRead = Set.copyOf(builder.classifier.readsBodyOf());
    this.signals = new SignalReader(builder.signals);
  }

  /**
   * {@return the shared configuration with every default} Everybody who uses it shares its budget,
   * which has an account per origin: so it bounds retries also where a client is wrapped for each
   * request. Build a configuration for a client that needs a budget of its own.
   */
  public static HttpRetry defaults() {
    return DEFAULTS;
  }

  /**
   * Starts with settings that follow the {@code Retry-After} of an API with strict limits to the
   * end, so that calls that meet the limit all at once get through one after another.
   *
   * <pre>{@code
   * HttpRetry retry = HttpRetry.followingRateLimits(Duration.ofMinutes(2)).build();
   * }</pre>
   *
   * <p>It sets the policy: up to 1000 attempts, the total time that is given here, and server
   * delays up to that time. It sets {@link Builder#serverDelayGate}, so that one answer of the
   * limiter holds back the other calls too. And it sets the budget: a retry after 429 or an
   * overload costs nothing, as limiter and gate bound the load; any other one is paid for as by
   * default.
   *
   * @param totalTimeout how long a call may take with all its waits, more than 1 ms
   * @return a new builder
   * @throws IllegalArgumentException if the time is too short
   */
  public static Builder followingRateLimits(Duration totalTimeout) {
    Builder patient = builder().policy(RateLimits.policy(totalTimeout));
    return patient.budget(RateLimits.budget()).serverDelayGate(true);
  }

  /**
   * Starts with settings for an API that answers prompts and charges for them, such as those of
   * OpenAI, Anthropic and Google.
   *
   * <pre>{@code
   * HttpRetry retry = HttpRetry.forAiApis(Duration.ofMinutes(30)).build();
   * }</pre>
   *
   * <p>It is {@link #followingRateLimits}, and in addition:
   *
   * <ul>
   *   <li>the rules of {@link StandardRules#forAiApis}, and {@link QuotaPacing#perOrigin};
   *   <li>an attempt timeout of 10 min, as long as the vendors' SDKs wait for the head of an answer
   *       by default;
   *   <li>{@link Builder#bufferBodiesUpTo} 1 MiB, so that an answer that breaks off is seen;
   *   <li>a body idle timeout of 2 min, because a model may think before it goes on.
   * </ul>
   *
   * <p>A request whose answer was lost is not repeated, because it may be billed: set {@link
   * RetryOptions.Builder#replayable} and {@link RetryOptions.Builder#paidRepeats} for that.
   *
   * @param totalTimeout how long a call may take with all its waits, more than 1 ms
   * @return a new builder
   * @throws IllegalArgumentException if the time is too short
   */
  public static Builder forAiApis(Duration totalTimeout) {
    return followingRateLimits(totalTimeout)
        .policy(RateLimits.ofPrompts(totalTimeout))
        .classifier(StandardRules.forAiApis().build())
        .guard(QuotaPacing.perOrigin())
        .bufferBodiesUpTo(LARGEST_ANSWER);
  }

  /** {@return a builder that starts with the defaults} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * {@return a builder that starts with this configuration} Its configurations have the same
   * budget, guards and listeners, and a {@link Builder#serverDelayGate} of their own.
   */
  public Builder toBuilder() {
    return new Builder(settings);
  }

  /**
   * Begins an operation; for authors of adapters.
   *
   * @param request the request as the caller wrote it
   * @param options what applies to this operation alone
   * @return the operation
   * @throws IllegalArgumentException if the request carries a key header twice or with control
   *     characters, or if the key that is minted for it is out of its range
   */
  public HttpOperation operation(RequestView request, RetryOptions options) {
    return new HttpOperation(this, request, options);
  }

  /**
   * {@return the most bytes of a response body that are read within the attempt where that
   * otherwise ends with the head, 0 for none}
   */
  public int bufferBodiesUpTo() {
    return settings.bufferBodiesUpTo;
  }

  /**
   * {@return whether a client is refused that would send keys, or a scope, to other origins when it
   * follows a redirect; false by default}
   */
  public boolean refuseRedirectedKeys() {
    return settings.refuseRedirectedKeys;
  }

  /** {@return time, randomness and scheduler} */
  public RetryEnvironment environment() {
    return plan.environment();
  }

  /** {@return the policy where an operation has none of its own} */
  public RetryPolicy policy() {
    return plan.policy();
  }

  /**
   * {@return the keys that are added to POST and PATCH, or to the methods that they name; empty if
   * none are added}
   */
  public Optional<IdempotencyKeys> idempotencyKeys() {
    return Optional.ofNullable(settings.keys);
  }

  /** {@return whether attempts leave a connection that died in silence; true by default} */
  public boolean leavesDeadConnections() {
    return settings.leaveDeadConnections;
  }

  ClientJournal journal() {
    return settings.journal;
  }

  /**
   * {@return the parts that operations of this configuration have in common; for authors of
   * adapters}
   */
  public RetryPlan plan() {
    return plan;
  }

  /** Whether the rules read the body of an answer. */
  boolean readsBodyOf(int status) {
    return status >= 400 && !bodiesRead.isEmpty() && bodiesRead.contains(status);
  }

  /** Whether the rules wait for the first event of an event stream with this status. */
  boolean awaitsFirstEvent(int status) {
    return status == 200 && !bodiesRead.isEmpty() && bodiesRead.contains(status);
  }

  HttpClassifier classifier() {
    return settings.classifier;
  }

  SignalReader signals() {
    return signals;
  }

  AddedHeaders addedHeaders() {
    return settings.addedHeaders;
  }

  LearningGuards learning() {
    return learning;
  }

  Propagation propagation() {
    return settings.propagation;
  }

  List<String> replayMarkers() {
    return settings.signals.replayMarkers();
  }

  @Override
  public String toString() {
    return "HttpRetry("
        + plan.policy()
        + "; keys="
        + (settings.keys == null ? "none" : settings.keys)
        + "; budget="
        + plan.budget()
        + ")";
  }

  /**
   * Collects settings; not safe for use by several threads. Each has a default, so a configuration
   * names only what differs.
   *
   * <ul>
   *   <li>Retries: {@link #policy}, {@link #classifier}, {@link #idempotencyKeys}, {@link #journal}
   *   <li>Bounds of the load: {@link #budget}, {@link #guard}, {@link #serverDelayGate}
   *   <li>Headers: {@link #signals}, {@link #oncePerOperation}, {@link #oncePerAttempt}, {@link
   *       #propagation}
   *   <li>Bodies, redirects and connections: {@link #bufferBodiesUpTo}, {@link
   *       #refuseRedirectedKeys}, {@link #leaveDeadConnections}
   *   <li>Surroundings: {@link #listener}, {@link #context}, {@link #environment}
   * </ul>
   */
  public static final class Builder {
    private RetryPolicy policy = RetryPolicy.defaults();
    private @Nullable RetryBudget budget; // null: the default, made by the first build
    private RetryEnvironment environment = RetryEnvironment.system();
    private @Nullable ContextCapture context;
    private final List<Guard> guards = new ArrayList<>();
    private final List<RetryListener> listeners = new ArrayList<>();
    private @Nullable IdempotencyKeys keys;
    private HttpClassifier classifier = StandardRules.defaults();
    private ResponseSignals signals = ResponseSignals.standard();
    private AddedHeaders addedHeaders = AddedHeaders.NONE;
    private int bufferBodiesUpTo;
    private boolean refuseRedirectedKeys;
    private boolean serverDelayGate;
    private Propagation propagation = Propagation.NONE;
    private ClientJournal journal = new ClientJournal(null);
    private boolean leaveDeadConnections = true;

    private Builder() {}

    private Builder(Builder other) {
      this.policy = other.policy;
      this.budget = other.budget;
      this.environment = other.environment;
      this.context = other.context;
      this.guards.addAll(other.guards);
      this.listeners.addAll(other.listeners);
      this.keys = other.keys;
      this.classifier = other.classifier;
      this.signals = other.signals;
      this.addedHeaders = other.addedHeaders;
      this.bufferBodiesUpTo = other.bufferBodiesUpTo;
      this.refuseRedirectedKeys = other.refuseRedirectedKeys;
      this.serverDelayGate = other.serverDelayGate;
      this.propagation = other.propagation;
      this.journal = other.journal;
      this.leaveDeadConnections = other.leaveDeadConnections;
    }

    // Retries: which requests, how often, and under which key.

    /**
     * How often, how long and with what waits. Default: {@link RetryPolicy#defaults()}.
     *
     * @param policy the policy
     * @return this
     */
    public Builder policy(RetryPolicy policy) {
      this.policy = Checks.notNull("policy", policy);
      return this;
    }

    /**
     * The classifier, which says what the outcome of an attempt means. Default: {@link
     * StandardRules#defaults()}.
     *
     * @param classifier the rules
     * @return this
     */
    public Builder classifier(HttpClassifier classifier) {
      this.classifier = Checks.notNull("classifier", classifier);
      return this;
    }

    /**
     * Adds keys to POST and PATCH, or to the methods that they name. Default: none. The setting is
     * your promise that the servers of this client honour keys: a request with a key is sent again
     * when its answer is lost.
     *
     * @param keys where keys come from and how they are sent
     * @return this
     */
    public Builder idempotencyKeys(IdempotencyKeys keys) {
      this.keys = Checks.notNull("idempotencyKeys", keys);
      return this;
    }

    /**
     * Remembers the operations that ask for it by {@link RetryOptions.Builder#journaled}. Default:
     * one in memory for 10,000 operations, which guards this process and forgets everything at its
     * end. Journaled operations need the module {@code retry-operations}, and are refused without
     * it.
     *
     * @param journal the journal: an {@code OperationJournal} of that module, or a {@code
     *     JdbcJournal}
     * @return this
     */
    public Builder journal(Journaling.Journal journal) {
      this.journal = new ClientJournal(Checks.notNull("journal", journal));
      return this;
    }

    // Bounds of the load.

    /**
     * The budget that pays for retries. Default: {@code RetryBudget.perOrigin(0.10)}, for this
     * configuration alone. So build a configuration once: if many are built within a minute, a
     * warning says so.
     *
     * @param budget the budget; share one object between configurations to give them one budget
     * @return this
     */
    public Builder budget(RetryBudget budget) {
      this.budget = Checks.notNull("budget", budget);
      return this;
    }

    /**
     * Adds a guard that each attempt passes, in the order of the calls: pacing, then a breaker,
     * then a limit or a bulkhead. A {@link dev.steadfast.retry.limit.QuotaPacing} learns from every
     * answer. Default: none.
     *
     * @param guard the guard
     * @return this
     */
    public Builder guard(Guard guard) {
      guards.add(Checks.notNull("guard", guard));
      return this;
    }

    /**
     * Whether a 429, 503 or 529 that asks for a delay holds back all operations of this
     * configuration to the same origin, and not only the one that it answered. Default false: many
     * servers limit by key or path, and then one throttled caller would hold back the others.
     *
     * <p>A 529 says that the server is overloaded. If it asks for no delay, operations are held
     * back for 1 s. Then one attempt shows whether it still is: if so, they are held back for 2 s,
     * and for 3 s each time after that.
     *
     * <p>An operation that is held back waits at most for the policy's server delay ceiling, within
     * its own deadline, and holds no permit. It goes on at a random time after the delay, as the
     * policy's server delay spread says. If its deadline is too near, it fails with an {@link
     * dev.steadfast.retry.AttemptRefusedException} that tells the delay.
     *
     * <p>After a redirect, operations to the origin that answered are held back; on {@code
     * java.net.http}, which does not tell it, those to the origin that was asked.
     *
     * @param hold true to hold back
     * @return this
     */
    public Builder serverDelayGate(boolean hold) {
      this.serverDelayGate = hold;
      return this;
    }

    // Headers.

    /**
     * The response headers that say whether to retry. Default: {@link ResponseSignals#standard()}.
     *
     * @param signals the headers
     * @return this
     */
    public Builder signals(ResponseSignals signals) {
      this.signals = Checks.notNull("signals", signals);
      return this;
    }

    /**
     * A header that is made once per operation and sent unchanged on every attempt, such as {@code
     * Repeatability-First-Sent} of OASIS Repeatable Requests. Default: none. A header that the
     * caller set is never overwritten, and neither is the key. A second call for one name replaces
     * the first.
     *
     * <p>A journaled operation that is resumed sends the value of its first call again if the
     * journal keeps that header ({@code OperationJournal.Settings.withHeaders}). Otherwise, and
     * when the same call is made again, the value is made anew.
     *
     * @param name the header
     * @param value makes the value of the request and the time of the operation's start; empty for
     *     no header; what it throws ends the operation before anything is sent
     * @return this
     * @throws IllegalArgumentException if the name is no header name
     */
    public Builder oncePerOperation(
        String name, BiFunction<RequestView, Instant, Optional<String>> value) {
      addedHeaders = addedHeaders.oncePerOperation(name, value);
      return this;
    }

    /**
     * A header that is made for each attempt, such as its number, or the {@code traceparent} of a
     * span per attempt. Default: none. A header that the caller set is never overwritten, and
     * neither are the key and the other headers of this configuration. A second call for one name
     * replaces the first.
     *
     * @param name the header
     * @param value makes the value of the operation and the number of the attempt, right before the
     *     attempt is sent and after {@link RetryListener#attemptStarted}; empty for no header. It
     *     must not block. An exception of it is logged, and so is a value that is not printable
     *     ASCII; then the attempt goes without the header
     * @return this
     * @throws IllegalArgumentException if the name is no header name
     */
    public Builder oncePerAttempt(
        String name, BiFunction<OperationInfo, Integer, Optional<String>> value) {
      addedHeaders = addedHeaders.oncePerAttempt(name, value);
      return this;
    }

    /**
     * The services that are told, by request headers, of the layer above and of the time that is
     * left. Default: none, because third parties should not see this.
     *
     * @param propagation to whom, and how
     * @return this
     */
    public Builder propagation(Propagation propagation) {
      this.propagation = Checks.notNull("propagation", propagation);
      return this;
    }

    // Bodies, redirects and connections.

    /**
     * Reads response bodies up to this size within the attempt, so that a body that breaks is
     * retried like any other failure. {@code java.net.http} does it anyway and ignores this
     * setting. Default 0: bodies are the caller's. A longer body is handed over unread beyond this
     * size; that of a status of 400 or above always is, as the head decides what follows. Streams
     * ({@code text/event-stream}, {@code application/x-ndjson}, {@code multipart/x-mixed-replace},
     * gRPC and the like) are never held back.
     *
     * @param bytes 0 to 2^24
     * @return this
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder bufferBodiesUpTo(int bytes) {
      this.bufferBodiesUpTo = Checks.within("bufferBodiesUpTo", bytes, 0, 1 << 24);
      return this;
    }

    /**
     * Whether to refuse a {@code java.net.http} client that follows redirects, which would carry a
     * key, or the headers of {@link #propagation}, to another origin. Default false: it is warned
     * about once.
     *
     * @param refuse true to refuse
     * @return this
     */
    public Builder refuseRedirectedKeys(boolean refuse) {
      this.refuseRedirectedKeys = refuse;
      return this;
    }

    /**
     * Whether an attempt takes another connection if the one before it timed out on an HTTP/2
     * connection on which nothing came meanwhile. Default true: a client keeps such a connection,
     * and the next attempts would be lost on it too. It opens at most one more connection per
     * client and origin, and only after a timeout. If false, attempts always take the client's
     * usual connections.
     *
     * @param leave true to leave them
     * @return this
     */
    public Builder leaveDeadConnections(boolean leave) {
      this.leaveDeadConnections = leave;
      return this;
    }

    // Surroundings.

    /**
     * Adds a listener. Default: none. One that is added twice is told once.
     *
     * @param listener told about every step; what it throws is logged
     * @return this
     */
    public Builder listener(RetryListener listener) {
      listeners.add(Checks.notNull("listener", listener));
      return this;
    }

    /**
     * Adds a context of the caller's that is carried to the threads on which an asynchronous
     * operation goes on: around attempts, listeners and callbacks. Default: the context class
     * loader and nothing else.
     *
     * @param capture takes the context when an operation begins
     * @return this
     */
    public Builder context(ContextCapture capture) {
      context = Contexts.both(context, Checks.notNull("context", capture));
      return this;
    }

    /**
     * Time, randomness and scheduler. Default: the system's.
     *
     * @param environment the environment
     * @return this
     */
    public Builder environment(RetryEnvironment environment) {
      this.environment = Checks.notNull("environment", environment);
      return this;
    }

    /**
     * The configuration. Logs a warning if settings contradict each other, such as a first wait
     * that does not fit in the total timeout.
     *
     * @return an immutable configuration
     */
    public HttpRetry build() {
      return new HttpRetry(this);
    }

    private RetryBudget budget() {
      RetryBudget chosen = budget;
      if (chosen == null) {
        chosen = RetryBudget.perOrigin(0.1);
        budget = chosen;
        DefaultBudgetCounter.all().built("HttpRetry.builder()", environment.ticker());
      }
      return chosen;
    }
  }
}
