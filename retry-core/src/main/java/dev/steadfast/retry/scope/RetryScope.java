package dev.steadfast.retry.scope;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits that one inbound request imposes on the calls that are made for it: one attempt each
 * if a layer above retries, no longer than the caller waits, and keys that derive from its key.
 *
 * <pre>{@code
 * try (RetryScope scope = RetryScope.enter(request::getHeader)) {
 *   handle(request, response);                       // every call in here obeys
 *   scope.responseHeaders().forEach(response::setHeader);
 * }
 * }</pre>
 *
 * <p>A scope is bound to the thread that entered it, until it is closed there. It does not move to
 * other threads by itself; {@link #wrap(Runnable)} and similar methods carry it there. A call that
 * has begun keeps it on all threads. If a scope is within another one, the stricter of both
 * applies. Safe for use by many threads, except for {@link #close}.
 */
public final class RetryScope implements AutoCloseable {
  private final InboundContext inbound;
  private final ScopeOptions options;
  private final @Nullable CallContext before;
  private final Thread thread = Thread.currentThread();
  private final @Nullable String parentKey;
  private final OptionalInt attempt;
  private final @Nullable String principal;
  private final @Nullable DerivedKeys derivedKeys;
  private volatile boolean gaveUp;
  private boolean closed;

  private RetryScope(
      Function<String, @Nullable String> headers,
      @Nullable String namespace,
      ScopeOptions options) {
    this.options = options;
    this.principal = namespace;
    boolean trusted = options.trustInbound() || ofPrincipal();
    this.parentKey = trusted ? options.headers().readKey(headers) : null;
    this.attempt = trusted ? options.headers().readAttempt(headers) : OptionalInt.empty();
    this.derivedKeys =
        namespace == null || parentKey == null
            ? null
            : new DerivedKeys(namespace, options, parentKey);
    InboundContext.Limits limits =
        new InboundContext.Limits(
            options.headers().readDoNotRetry(headers),
            Math.max(options.minimumDeadlineNanos(), options.headers().readRemainingNanos(headers)),
            options.environment());
    this.before = CallContext.current();
    this.inbound = new InboundContext(this, before, limits);
    CallContext.bind(inbound);
  }

  /**
   * Enters the scope of a request: reads whether to retry and the time that is left.
   *
   * @param headers looks up a header of the request by name, in any case; null if it is absent. If
   *     a header has several lines, it returns all values, joined by commas; the strictest applies
   * @return the scope; close it on this thread
   */
  public static RetryScope enter(Function<String, @Nullable String> headers) {
    return enter(headers, null, ScopeOptions.defaults());
  }

  /**
   * As {@link #enter(Function)}, and reads the idempotency key of an authenticated caller. The keys
   * of calls derive from it if they ask for this with {@link
   * dev.steadfast.retry.http.RetryOptions.Builder#derivedKey}.
   *
   * @param headers looks up a header of the request; null if it is absent
   * @param namespace the authenticated principal, which keeps the keys of tenants apart; null for
   *     none: then no key derives. Never something that the caller may choose freely. A name that
   *     is unique only per issuer needs the issuer in front: {@code issuer + " " + subject}
   * @param options how to read the request; keys derive only if its {@link ScopeOptions#operation}
   *     is set
   * @return the scope; close it on this thread
   * @throws IllegalArgumentException if the namespace is empty or holds half a surrogate pair
   */
  public static RetryScope enter(
      Function<String, @Nullable String> headers,
      @Nullable String namespace,
      ScopeOptions options) {
    Checks.notNull("headers", headers);
    Checks.notNull("options", options);
    if (namespace != null && Checks.isBlank(namespace)) {
      throw Checks.bad("namespace", "empty", "the authenticated principal, or null for none");
    }
    if (namespace != null) {
      Checks.wellFormed("namespace", namespace);
    }
    return new RetryScope(headers, namespace, options);
  }

  /** {@return the innermost scope of the calling thread, empty outside of all scopes} */
  public static Optional<RetryScope> current() {
    CallContext here = CallContext.current();
    CallContext scope = here == null ? null : here.beyond();
    return scope instanceof InboundContext found ? Optional.of(found.scope()) : Optional.empty();
  }

  /**
   * Carries the scope of the calling thread to the thread that runs the task.
   *
   * @param task the task
   * @return the task, within the scope of the calling thread
   */
  public static Runnable wrap(Runnable task) {
    return within(CallContext.current(), Checks.notNull("task", task));
  }

  private static Runnable within(@Nullable CallContext here, Runnable task) {
    return () -> {
      CallContext before = CallContext.bind(here);
      try {
        task.run();
      } finally {
        CallContext.bind(before);
      }
    };
  }

  /**
   * As {@link #wrap(Runnable)}.
   *
   * @param task the task
   * @param <T> its result
   * @return the task, within the scope of the calling thread
   */
  public static <T> Callable<T> wrap(Callable<T> task) {
    Checks.notNull("task", task);
    CallContext here = CallContext.current();
    return () -> {
      CallContext before = CallContext.bind(here);
      try {
        return task.call();
      } finally {
        CallContext.bind(before);
      }
    };
  }

  /**
   * As {@link #wrap(Runnable)}, for {@code CompletableFuture.supplyAsync}.
   *
   * @param task the task
   * @param <T> its result
   * @return the task, within the scope of the calling thread
   */
  public static <T> Supplier<T> wrapSupplier(Supplier<T> task) {
    Checks.notNull("task", task);
    CallContext here = CallContext.current();
    return () -> {
      CallContext before = CallContext.bind(here);
      try {
        return task.get();
      } finally {
        CallContext.bind(before);
      }
    };
  }

  /**
   * An executor that runs every task within the scope that the calling thread has <em>now</em>,
   * whichever thread hands the task over, as the stages of a {@code CompletableFuture} need it.
   *
   * @param executor runs the tasks
   * @return an executor for this request alone
   */
  public static Executor wrap(Executor executor) {
    Checks.notNull("executor", executor);
    CallContext here = CallContext.current();
    return task -> executor.execute(within(here, task));
  }

  /**
   * {@return whether a layer above owns the retries, so that calls within are made once; false if
   * no caller said so}
   */
  public boolean doNotRetry() {
    return inbound.doNotRetry();
  }

  /** {@return the time that the caller still waits: zero or more, empty if it does not say} */
  public Optional<Duration> remaining() {
    long nanos = inbound.remainingNanos();
    return nanos == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
  }

  /**
   * {@return the idempotency key of the inbound request, a secret; empty if it has none, or none
   * that is trusted}
   */
  public Optional<String> parentKey() {
    return Optional.ofNullable(parentKey);
  }

  /**
   * {@return the number of the caller's attempt, as it wrote it; empty if it does not say, or is
   * not trusted}
   */
  public OptionalInt attempt() {
    return attempt;
  }

  /**
   * {@return whether a call within this scope gave up after it had retried, or because its server,
   * breaker or budget did not allow a retry: then the caller should not retry} A call that failed
   * without a retry because the layer above retries does not count.
   */
  public boolean gaveUp() {
    return gaveUp;
  }

  /**
   * {@return the headers, by name, to add to the response if the request failed because its calls
   * did: {@code x-should-retry: false} where they gave up, so that the layers above do not retry
   * what was retried here; empty if no call gave up} Clients of this library obey it.
   */
  public Map<String, String> responseHeaders() {
    return gaveUp ? options.headers().responseHeaders() : Map.of();
  }

  boolean ofPrincipal() {
    return principal != null;
  }

  @Nullable String principal() {
    return principal;
  }

  @Nullable DerivedKeys derivedKeys() {
    return derivedKeys;
  }

  void noteGaveUp() {
    gaveUp = true;
  }

  /**
   * Leaves the scope, on the thread that entered it, and with it those that were entered within and
   * not left. Tasks that were wrapped within go on to obey it. Has no effect when it is called
   * again.
   *
   * @throws IllegalStateException if another thread entered the scope
   */
  @Override
  public void close() {
    if (!thread.equals(Thread.currentThread())) {
      throw new IllegalStateException("the scope was entered by another thread: " + thread);
    }
    if (!closed && encloses(CallContext.current())) {
      CallContext.bind(before);
      closed = true; // else something around this call binds it again, to be left there
    }
  }

  // A scope that somebody forgot to close must not outlive the request on a pooled thread.
  private boolean encloses(@Nullable CallContext here) {
    CallContext next = here;
    while (next instanceof InboundContext inbound) {
      if (equals(inbound.scope())) {
        return true;
      }
      next = inbound.scope().before;
    }
    return false;
  }

  @Override
  public String toString() {
    return "RetryScope(doNotRetry="
        + doNotRetry()
        + ", remaining="
        + remaining().map(Duration::toString).orElse("unbounded")
        + ")";
  }
}
