package dev.steadfast.retry.effects;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a one-time token and uses it in a request that the server takes once per token. Immutable
 * and safe for use by many threads.
 *
 * <pre>{@code
 * OneTimeToken<HttpRequest> tokens =
 *     JdkEffects.oneTimeToken(http, (head, body) -> new String(body, UTF_8));
 * EffectResult<String> order =
 *     tokens.use(
 *         fetch,
 *         token -> HttpRequest.newBuilder(uri).header("X-Token", token).POST(body).build());
 * }</pre>
 *
 * <p>Both requests are retried as the client is configured to, whatever their methods: a token that
 * is not used does nothing, and the same token is never taken twice. If the answer to a use was
 * lost and the next attempt meets 409 or 410, the token is used up, probably by the attempt before;
 * the effect is unknown unless {@link #ifLost} can tell. A second token is never fetched for the
 * same use.
 *
 * <p>Nobody knows the token after a crash. Requests that are journaled or have a key are refused: a
 * call that is made again would send another token under the same name.
 *
 * @param <Q> the client's type of request
 */
public final class OneTimeToken<Q> {
  private final Client<Q> client;
  private final BiFunction<ResponseView, byte[], @Nullable String> read;
  private final BiFunction<String, ResponseView, Effect> ifLost;

  private OneTimeToken(
      Client<Q> client,
      BiFunction<ResponseView, byte[], @Nullable String> read,
      BiFunction<String, ResponseView, Effect> ifLost) {
    this.client = client;
    this.read = Checks.notNull("read", read);
    this.ifLost = Checks.notNull("ifLost", ifLost);
  }

  static <Q> OneTimeToken<Q> over(
      Client<Q> client, BiFunction<ResponseView, byte[], @Nullable String> read) {
    return new OneTimeToken<>(client, read, (token, answer) -> Effect.UNKNOWN);
  }

  /**
   * Tells whether a token was used by an attempt whose answer was lost. Default: unknown.
   *
   * @param ifLost gets the token and the answer to the last attempt, which has a status from 400 to
   *     499; may ask the server. Safe for use by many threads
   * @return a changed copy
   */
  public OneTimeToken<Q> ifLost(BiFunction<String, ResponseView, Effect> ifLost) {
    return new OneTimeToken<>(client, read, ifLost);
  }

  /**
   * Fetches a token and uses it, on the calling thread. A {@code deadline} among the options bounds
   * each of the two requests by itself.
   *
   * @param fetch the request for a token
   * @param use makes the request that uses the token; called at most once
   * @return what came of it, with the token; exceptions of the client are in it. The same token can
   *     be used again after {@link Effect#UNKNOWN} to find out
   * @throws InterruptedException if the thread is interrupted; the effect is then unknown
   * @throws IllegalArgumentException if a request has an idempotency key or is journaled
   */
  public EffectResult<String> use(Q fetch, Function<String, ? extends Q> use)
      throws InterruptedException {
    return Sender.result(start(fetch, use, sender(true)));
  }

  /**
   * As {@link #use}, without holding a thread. Cancelling the future, or completing it from outside
   * as {@code orTimeout} does, ends the operation; its effect is then unknown.
   *
   * @param fetch as for {@link #use}
   * @param use as for {@link #use}; must not block, because it runs on a thread of the client, or
   *     on the calling thread if an answer arrives at once
   * @return a future of what came of it; it fails with what a function of the caller's threw
   * @throws IllegalArgumentException if the request for the token has an idempotency key or is
   *     journaled
   */
  public CompletableFuture<EffectResult<String>> useAsync(
      Q fetch, Function<String, ? extends Q> use) {
    Sender<Q> sender = sender(false);
    return sender.endingWith(start(fetch, use, sender));
  }

  private Sender<Q> sender(boolean blocking) {
    return new Sender<>(client, blocking, () -> Long.MAX_VALUE);
  }

  private CompletableFuture<EffectResult<String>> start(
      Q fetch, Function<String, ? extends Q> use, Sender<Q> sender) {
    Checks.notNull("use", use);
    return sender
        .send(client.withDefault(fetch, "Cache-Control", "no-cache"))
        .thenCompose(reply -> {
          boolean whole = reply.successful() && reply.failure() == null;
          String token = whole ? read.apply(reply, reply.body()) : null;
          if (token == null || token.isEmpty()) {
            return CompletableFuture.completedFuture(
                new EffectResult<>(End.READ_FAILED, Effect.NEVER_SENT, null, reply));
          }
          Q request = Checks.notNull("request", use.apply(token));
          return sender.send(request).thenApply(answer -> used(token, answer));
        });
  }

  private EffectResult<String> used(String token, Reply reply) {
    if (reply.accepted()) {
      return new EffectResult<>(End.ACCEPTED, Effect.SUCCEEDED, token, reply);
    }
    RetryReport report = reply.report();
    if (report == null || !reply.refused()) {
      return new EffectResult<>(End.WRITE_FAILED, reply.effect(), token, reply);
    }
    Effect effect = report.effect(reply.status(), status -> ifLost.apply(token, reply));
    return switch (effect) {
      case SUCCEEDED -> new EffectResult<>(End.ALREADY_APPLIED, effect, token, reply);
      case UNKNOWN, ACCEPTED, OTHER_REQUEST ->
          new EffectResult<>(End.ANSWER_LOST, Effect.UNKNOWN, token, reply);
      case FAILED, NEVER_SENT -> new EffectResult<>(End.WRITE_FAILED, effect, token, reply);
    };
  }
}
