package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits on the operations that a thread begins, set by the scope of an inbound request or by a
 * layer that retries around them. Users meet it as {@code dev.steadfast.retry.scope.RetryScope}.
 *
 * <p>A context is bound to a thread. An operation takes it from there once, when it begins, and
 * carries it, whatever threads it runs on. Implementations are safe for use by many threads, do not
 * block and throw nothing but what is said here.
 */
public interface CallContext {
  // Why it is like this: docs/decisions/nesting.md

  /** {@return the context that the calling thread is in, null for nothing} */
  static @Nullable CallContext current() {
    return ThreadContext.callContext(ThreadContext.slots());
  }

  /**
   * Binds to the calling thread; bind what this returns again in a {@code finally}.
   *
   * @param next what applies from now on, null for nothing
   * @return what applied before
   */
  static @Nullable CallContext bind(@Nullable CallContext next) {
    @Nullable Object[] slots = ThreadContext.slots();
    CallContext before = ThreadContext.callContext(slots);
    ThreadContext.callContext(slots, next);
    return before;
  }

  /** {@return what is around this context, and says what this one does not; null for nothing} */
  @Nullable CallContext around();

  /** {@return whether a layer above owns the retries: then an operation makes one attempt} */
  default boolean doNotRetry() {
    CallContext around = around();
    return around != null && around.doNotRetry();
  }

  /**
   * {@return the time that is left to an operation that begins now, in nanoseconds: 0 if none is
   * left, {@link Long#MAX_VALUE} for no bound}
   */
  default long remainingNanos() {
    CallContext around = around();
    return around == null ? Long.MAX_VALUE : around.remainingNanos();
  }

  /**
   * Whether an operation around this one owns the retries and deposits in that budget already: one
   * success of stacked layers earns once.
   *
   * @param budget the budget of the operation that begins
   * @return true if it must not deposit
   */
  default boolean funds(RetryBudget budget) {
    CallContext around = around();
    return around != null && around.funds(budget);
  }

  /**
   * The key of an operation, derived from the key of the request that it is made for.
   *
   * @param name tells the operation from others that are made for the same request
   * @param fingerprint tells two requests of that name apart
   * @return null if no key is derived here
   * @throws IllegalArgumentException if another request had that name
   */
  default @Nullable String deriveKey(String name, Supplier<String> fingerprint) {
    CallContext around = around();
    return around == null ? null : around.deriveKey(name, fingerprint);
  }

  /**
   * {@return the authenticated principal of the inbound request, for whom the operations are made;
   * empty for none}
   */
  default String principal() {
    CallContext around = around();
    return around == null ? "" : around.principal();
  }

  /**
   * An operation within gave up after it had retried, or because its server, guard or budget said
   * that retrying does harm. A retry of the caller above would do harm, too.
   *
   * @param reason why it ended
   */
  default void gaveUp(StopReason reason) {
    CallContext around = around();
    if (around != null) {
      around.gaveUp(reason);
    }
  }

  /**
   * The context of an operation that begins here.
   *
   * @param target method and URI of its request
   * @return this by default; within an attempt a layer that retries, if the operation is the
   *     attempt's own request on its way through another client, else what is around it
   */
  default @Nullable CallContext of(Supplier<String> target) {
    return this;
  }

  /**
   * {@return the context of other operations that are begun within an attempt, such as an
   * authenticator's call for a token, which are not the one that is being retried: this for a
   * scope; what is around it for a layer that retries, null for nothing}
   */
  default @Nullable CallContext beyond() {
    CallContext around = around();
    return around == null ? null : around.beyond();
  }
}
