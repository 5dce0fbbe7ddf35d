package dev.steadfast.retry.effects;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Optimistic locking over HTTP: reads a value with its {@code ETag}, changes it, and writes it back
 * with {@code If-Match}, so that nobody's change is overwritten. It reads again after 412 or 409
 * and applies the caller's function to what the server has by then. Immutable and safe for use by
 * many threads.
 *
 * <pre>{@code
 * ReadModifyWrite<HttpRequest, Account> accounts =
 *     JdkEffects.readModifyWrite(http, Account::parse, Account::bytes).build();
 * Account account =
 *     accounts.update(HttpRequest.newBuilder(uri).build(), each -> each.deposit(10)).orElseThrow();
 * }</pre>
 *
 * <p>A conflict may also come from the update's own success: the first PUT was applied, its answer
 * was lost, and its repetition got 412. Then the function is not applied a second time. The next
 * state that is read is compared with the one that was written. If both are equal, the write counts
 * as applied ({@link EffectResult.End#ALREADY_APPLIED}); if not, its effect is unknown, because
 * somebody else may have written in its place or after it, and the update ends ({@link
 * EffectResult.End#ANSWER_LOST}). {@link Builder#ifLost} can tell more.
 *
 * <p>Equal values do not tell two writers apart who wrote the same. Where each change counts, as in
 * a counter, put an identifier of the change into the value, and have the function return null if
 * it finds that there. This also covers a gateway that resends by itself, and an update that is
 * made again after a crash. A journal does not: requests that have a key or are journaled are
 * refused.
 *
 * <p>The write is repeated within a round as the client is configured to, whatever its method: its
 * condition keeps it from being applied twice.
 *
 * @param <Q> the client's type of request
 * @param <T> the value
 */
public final class ReadModifyWrite<Q, T> {
  final Client<Q> client;
  final Function<? super byte[], ? extends T> decode;
  final Function<? super T, byte[]> encode;
  final @Nullable BiFunction<? super Q, ? super T, ? extends Q> writing;
  final BiFunction<? super T, ? super T, Effect> ifLost;
  final boolean versionInBody;
  private final RetryPolicy policy;
  private final RetryEnvironment environment;

  private ReadModifyWrite(Builder<Q, T> builder) {
    this.client = builder.client;
    this.decode = builder.decode;
    this.encode = builder.encode;
    this.writing = builder.writing;
    this.ifLost = builder.ifLost;
    this.versionInBody = builder.versionInBody;
    this.policy = builder.policy;
    this.environment = builder.environment;
  }

  /**
   * Updates a value, on the calling thread.
   *
   * @param read the request that reads the value, and whose headers and tags the write gets; GET
   * @param change makes the new value of the one that was read, or null to leave it; called once
   *     per round, and without effects of its own
   * @return what came of it; exceptions of the client are in it
   * @throws InterruptedException if the thread is interrupted; the effect is then unknown
   * @throws IllegalArgumentException if the request is no GET, has an idempotency key, or is
   *     journaled
   */
  public EffectResult<T> update(Q read, Function<? super T, ? extends @Nullable T> change)
      throws InterruptedException {
    RetryPolicy bounded = bounded(read);
    Update<Q, T> update = new Update<>(this, sender(true, bounded), read, change);
    try {
      return rounds(bounded).call(() -> Sender.result(update.round()));
    } catch (TimeoutException timeUp) {
      return update.outOfTime(timeUp);
    } catch (InterruptedException | RuntimeException thrown) {
      throw thrown;
    } catch (Exception thrown) {
      throw new CompletionException(thrown); // a function of the caller's threw it undeclared
    }
  }

  /**
   * As {@link #update}, without holding a thread. Cancelling the future, or completing it from
   * outside as {@code orTimeout} does, ends the update; its effect is then unknown.
   *
   * @param read as for {@link #update}
   * @param change as for {@link #update}; must not block, because it runs on a thread of the
   *     client, or on the calling thread if an answer arrives at once
   * @return a future of what came of it; it fails with what a function of the caller's threw
   * @throws IllegalArgumentException as for {@link #update}
   */
  public CompletableFuture<EffectResult<T>> updateAsync(
      Q read, Function<? super T, ? extends @Nullable T> change) {
    RetryPolicy bounded = bounded(read);
    Sender<Q> sender = sender(false, bounded);
    Update<Q, T> update = new Update<>(this, sender, read, change);
    CompletableFuture<EffectResult<T>> rounds = rounds(bounded).callAsync(update::round);
    return sender.endingWith(
        rounds.handle((result, thrown) -> {
          if (thrown == null) {
            return result;
          }
          if (thrown instanceof TimeoutException timeUp) {
            return update.outOfTime(timeUp);
          }
          throw thrown instanceof CompletionException same ? same : new CompletionException(thrown);
        }));
  }

  /**
   * The policy for a request that is fit to read, with the request's deadline if that is earlier.
   */
  private RetryPolicy bounded(Q read) {
    Sender.checked(client, read);
    String method = client.method(read);
    if (!method.equals("GET")) {
      throw Checks.bad("method", method, "GET");
    }
    Duration deadline = client.options(read).deadline().orElse(null);
    Duration total = policy.totalTimeout().orElse(null);
    if (deadline == null || (total != null && total.compareTo(deadline) <= 0)) {
      return policy;
    }
    boolean tight = deadline.compareTo(policy.minimumAttempt()) < 0;
    Duration minimum = tight ? deadline : policy.minimumAttempt();
    return policy.toBuilder().totalTimeout(deadline).minimumAttempt(minimum).build();
  }

  // No budget: another round follows a definite answer of a server that works, and retries within
  // a round draw on the client's budget.
  private Retrier rounds(RetryPolicy bounded) {
    return Retrier.builder()
        .name("read-modify-write")
        .policy(bounded)
        .budget(RetryBudget.unlimited())
        .environment(environment)
        .retryExceptions(thrown -> false)
        .retryResults(result -> result instanceof EffectResult<?> each && each.isConflict())
        .build();
  }

  private Sender<Q> sender(boolean blocking, RetryPolicy bounded) {
    LongSupplier ticker = environment.ticker();
    long beganNanos = ticker.getAsLong();
    long total = bounded.totalTimeout().map(Durations::nanos).orElse(Long.MAX_VALUE);
    return new Sender<>(
        client,
        blocking,
        () -> total == Long.MAX_VALUE ? total : total - (ticker.getAsLong() - beganNanos));
  }

  @Override
  public String toString() {
    return "ReadModifyWrite(" + policy + ")";
  }

  /**
   * Collects settings; not safe for use by several threads. {@link JdkEffects} and {@link
   * OkHttpEffects} make one.
   *
   * @param <Q> the client's type of request
   * @param <T> the value
   */
  public static final class Builder<Q, T> {
    // Conflicts come from clients that are at work, so the waits are short.
    private static final RetryPolicy DEFAULT_POLICY =
        RetryPolicy.builder()
            .maxAttempts(5)
            .backoff(Backoff.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(2)))
            .build();

    private final Client<Q> client;
    private final Function<? super byte[], ? extends T> decode;
    private final Function<? super T, byte[]> encode;
    private RetryPolicy policy = DEFAULT_POLICY;
    private RetryEnvironment environment = RetryEnvironment.system();
    private @Nullable BiFunction<? super Q, ? super T, ? extends Q> writing;
    private BiFunction<? super T, ? super T, Effect> ifLost = Builder::compare;
    private boolean versionInBody;

    Builder(
        Client<Q> client,
        Function<? super byte[], ? extends T> decode,
        Function<? super T, byte[]> encode) {
      this.client = client;
      this.decode = Checks.notNull("decode", decode);
      this.encode = Checks.notNull("encode", encode);
    }

    private static Effect compare(@Nullable Object written, @Nullable Object found) {
      return Objects.deepEquals(written, found) ? Effect.SUCCEEDED : Effect.UNKNOWN;
    }

    /**
     * How many rounds of a read and a write, how long to wait between them, and how long all may
     * take. Default: 5 rounds, full jitter from 50 ms to 2 s, 30 s in all. The requests of a round
     * are retried by the policy of their client, within the time that is left here.
     *
     * <p>A {@code deadline} among the options of the request bounds all rounds together, too.
     *
     * @param policy the policy; an attempt of it is a round
     * @return this
     */
    public Builder<Q, T> policy(RetryPolicy policy) {
      this.policy = Checks.notNull("policy", policy);
      return this;
    }

    /**
     * Time, randomness and scheduler of the waits between rounds. Default: the system's.
     *
     * @param environment the environment
     * @return this
     */
    public Builder<Q, T> environment(RetryEnvironment environment) {
      this.environment = Checks.notNull("environment", environment);
      return this;
    }

    /**
     * Makes the request that writes: a PATCH, for instance. Default: a PUT of the encoded value to
     * the target of the read, with its headers and with the {@code Content-Type} of its answer.
     *
     * @param writing gets the request that read and the new value; {@code If-Match} is added to
     *     what it returns. Safe for use by many threads
     * @return this
     */
    public Builder<Q, T> writing(BiFunction<? super Q, ? super T, ? extends Q> writing) {
      this.writing = Checks.notNull("writing", writing);
      return this;
    }

    /**
     * Tells whether a write was applied whose answer was lost, from what is read afterwards.
     * Default: {@link Effect#SUCCEEDED} if both values are equal, else {@link Effect#UNKNOWN}.
     *
     * <p>{@link Effect#FAILED} has the change applied again. Answer so only if the value shows it,
     * by a list of the changes that it has seen, or if applying the change twice does no harm.
     *
     * @param ifLost gets what was written and what was found; safe for use by many threads
     * @return this
     */
    public Builder<Q, T> ifLost(BiFunction<? super T, ? super T, Effect> ifLost) {
      this.ifLost = Checks.notNull("ifLost", ifLost);
      return this;
    }

    /**
     * Takes the version from the value itself, for servers that compare such a version in place of
     * an {@code ETag}. No {@code If-Match} is sent. Give {@link #ifLost} as well, because the value
     * that is found has another version than the one that was written. Dangerous with a server that
     * does not compare: changes are then overwritten, and repeated. Default: the {@code ETag},
     * without which nothing is written.
     *
     * @return this
     */
    public Builder<Q, T> versionInBody() {
      this.versionInBody = true;
      return this;
    }

    /**
     * The helper.
     *
     * @return an immutable helper
     */
    public ReadModifyWrite<Q, T> build() {
      return new ReadModifyWrite<>(this);
    }
  }
}
