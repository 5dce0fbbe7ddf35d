package dev.steadfast.retry;

import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * The report of an operation: how many attempts, how each went, why it ended, and whether the
 * server may have acted. Immutable.
 *
 * <p>The caller finds it on an exception ({@link #of}), and on a response ({@code
 * OkHttpReports.of}, {@code JdkReports.of}, {@code Apache5Reports.of}). A {@link RetryListener}
 * always gets it.
 *
 * <p>If an SDK throws an exception of its own whose cause is ours, {@link #of} finds the report
 * there. An SDK that makes its exception from the last answer loses the report. A {@link
 * RetryListener} still has it, and so has the logger {@code dev.steadfast.retry}, which writes a
 * line for each operation that fails, in the caller's context and at level DEBUG. A warning tells
 * of one operation that gave up after retries, and of one that may have taken effect, for each
 * origin and minute.
 */
public interface RetryReport {
  /** A response that knows its report; implemented by the adapters. */
  interface Carrier {
    /** {@return the report of the operation that ended with this response} */
    RetryReport retryReport();
  }

  /**
   * The report of an exception or of one of its causes: a suppressed {@link RetryTrace} has it.
   *
   * @param failure an exception from a client of this library
   * @return its report, empty if it carries none
   */
  static Optional<RetryReport> of(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Throwable each = Checks.notNull("failure", failure);
    while (each != null && seen.add(each)) {
      Throwable[] suppressed = each.getSuppressed();
      // The latest is the outermost operation that the exception went through.
      for (int i = suppressed.length - 1; i >= 0; i--) {
        if (suppressed[i] instanceof RetryTrace trace && trace.report().isPresent()) {
          return trace.report();
        }
      }
      each = each.getCause();
    }
    return Optional.empty();
  }

  /** {@return why the operation ended} */
  StopReason reason();

  /**
   * {@return how many attempts were made, the first one included: 0 if the operation ended before
   * its first attempt, or was answered by a cache or a journal}
   */
  int attempts();

  /**
   * {@return how each attempt went, the oldest first: an immutable list, empty where the first
   * attempt was accepted and there was no listener} If there were more than 100 attempts, it has
   * the last 100.
   */
  List<AttemptReport> attemptReports();

  /** {@return the last entry of {@link #attemptReports()}, empty if there is none} */
  Optional<AttemptReport> last();

  /**
   * {@return how long the operation took, from its start to its end; zero where the first attempt
   * was accepted and there was no listener}
   */
  Duration elapsed();

  /** {@return the sum of the waits between attempts} */
  Duration waited();

  /**
   * {@return the delay that the last answer asked for, empty for none; with {@link
   * StopReason#SERVER_DELAY_TOO_LONG} the delay that was too long to wait for here}
   */
  Optional<Duration> serverDelay();

  /**
   * {@return whether the server may have acted on any attempt} If it is false, that is proven:
   * nothing was sent, or everything that was sent was refused unprocessed.
   */
  boolean serverMayHaveActed();

  /**
   * How many attempts a server that charges for its work may have billed: those that were neither
   * proven unsent nor refused. An attempt that was cancelled, or whose answer was lost or broke
   * off, counts too. A journaled operation counts those of this call.
   *
   * @return 0 if {@link #serverMayHaveActed()} is false, else 1 or more
   */
  default int attemptsPerhapsBilled() {
    int perhaps = 0;
    for (AttemptReport each : attemptReports()) {
      perhaps += each.disposition().mayHaveActed() ? 1 : 0;
    }
    return perhaps == 0 && serverMayHaveActed() ? 1 : perhaps;
  }

  /**
   * Whether it is unknown what the operation did: the answer to one of its attempts was lost, or
   * proves neither success nor failure ({@link AnswerProof}), and the last answer does not settle
   * it. Then keep the {@link #idempotencyKey()}, and send the same request with the same key again
   * to find out. If there is no key, ask the server by other means. This agrees with {@link
   * #effect(int)}.
   *
   * @return true if the effect of the operation is unknown
   */
  boolean outcomeUnknown();

  /**
   * {@return whether an attempt before the last may have been applied without its answer arriving}
   * Then a 404 after a DELETE, or a 412 after {@code If-Match}, may be due to the operation's own
   * success.
   */
  boolean earlierAttemptMayHaveActed();

  /**
   * {@return whether the server marked its answer as the replay of a stored one, by {@code
   * Idempotent-Replayed: true} or the configured marker}
   */
  boolean replayed();

  /** {@return the state of the operation in the journal, empty unless it is a journaled one} */
  default Optional<Saved> saved() {
    return Optional.empty();
  }

  /**
   * Whether the operation took effect, as far as its client can know.
   *
   * <p>If an answer is lost, the next attempt may meet the success of the first: a repeated DELETE
   * gets 404, a repeated use of a one-time token 410. The same answer comes if somebody else was
   * faster, so the effect is {@link Effect#UNKNOWN} unless a function of the caller's can tell.
   *
   * <ul>
   *   <li>Journaled: what the journal knows.
   *   <li>Accepted: succeeded. A redirect that was not followed counts as {@link AnswerProof} says.
   *   <li>Not accepted: unknown if an answer is lost or does not prove that nothing was done,
   *       unless the last answer proves that and is marked as a replay.
   *   <li>Otherwise nothing was done: failed if the server said so, else never sent.
   * </ul>
   *
   * <p>Where the client followed a redirect, the answer of its target counts. A 4xx of the target
   * tells nothing of the effects of a request that was redirected by 301, 302 or 303, so they are
   * unknown.
   *
   * <pre>{@code
   * Effect effect =
   *     OkHttpReports.of(response)
   *         .effect(
   *             response.code(),
   *             status -> status == 404 ? Effect.SUCCEEDED : Effect.UNKNOWN);
   * }</pre>
   *
   * @param status the status of the answer that the caller got
   * @param ifUnknown gets the status if the effect is unknown and the status is 400 to 499, but not
   *     408 or 499; otherwise not called; may ask the server
   * @return what is known
   * @throws NullPointerException if {@code ifUnknown} is null or returns null
   */
  default Effect effect(int status, IntFunction<Effect> ifUnknown) {
    Checks.notNull("ifUnknown", ifUnknown);
    Effect known = effect(status);
    return known == Effect.UNKNOWN && saysNo(status)
        ? Checks.notNull("effect", ifUnknown.apply(status))
        : known;
  }

  /**
   * As {@link #effect(int, IntFunction)} if nothing can tell more.
   *
   * @param status the status of the answer that the caller got
   * @return what is known
   */
  default Effect effect(int status) {
    Optional<Saved> saved = saved();
    if (saved.isPresent()) {
      return saved.get().effect();
    }
    if (outcomeUnknown()) {
      return Effect.UNKNOWN;
    }
    boolean done =
        reason() == StopReason.ACCEPTED && AnswerProof.of(status) != AnswerProof.NOT_HERE;
    if (serverMayHaveActed()) {
      return done ? Effect.SUCCEEDED : Effect.FAILED;
    }
    return !done && saysNo(status) ? Effect.FAILED : Effect.NEVER_SENT;
  }

  /** Whether the server says that it did not do what was asked: a 4xx, but not 408 and 499. */
  private static boolean saysNo(int status) {
    return AnswerProof.of(status, "", false).saysNo();
  }

  /**
   * Whether an operation took effect: what its caller may rely on.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  enum Effect {
    /** No request of the operation was processed. */
    NEVER_SENT,
    /** The server did what was asked. */
    SUCCEEDED,
    /** The server did not do what was asked. */
    FAILED,
    /** The operation is not done yet; the journal has it sent until it is. */
    ACCEPTED,
    /** It may have been done, and may not. */
    UNKNOWN,
    /**
     * This request was not sent, because its name and key belong to another one. That one may have
     * had an effect: the exception tells its state.
     */
    OTHER_REQUEST
  }

  /**
   * The state of an operation in the journal. Immutable.
   *
   * @param effect whether it had its effect
   * @param recorded whether the journal has this: false if the journal could not be reached, or
   *     another process has taken the operation over
   * @param handedBack whether the answer is that of an earlier call, and nothing was sent
   * @param resumableUntil how long the same operation may be called again to settle it; empty
   *     unless its effect is unknown and sending it again is safe
   */
  record Saved(
      Effect effect, boolean recorded, boolean handedBack, Optional<Instant> resumableUntil) {}

  /**
   * {@return the idempotency key of the operation; empty for none, and if {@link #sentWithoutKey}
   * names a request} Store it with a payment if the outcome is unknown. Every request that may have
   * had an effect has carried it.
   */
  Optional<String> idempotencyKey();

  /**
   * {@return a request of the operation that may have had an effect and did not carry its key, for
   * example because a redirect led to another server: its method and where it went, such as {@code
   * POST https://other.example/pay}; empty if there is none} The same key does not protect from a
   * second effect then, so this report does not name it.
   */
  default Optional<String> sentWithoutKey() {
    return Optional.empty();
  }
}
