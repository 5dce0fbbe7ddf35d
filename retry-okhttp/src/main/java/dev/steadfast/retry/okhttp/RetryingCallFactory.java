package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import java.io.InterruptedIOException;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * Makes OkHttp calls that are retried where that is safe. It is for OkHttp itself, for Retrofit,
 * and for SDKs that take a {@link Call.Factory}. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * Call.Factory calls = RetryingCallFactory.wrap(okHttpClient, HttpRetry.defaults());
 * try (Response response = calls.newCall(request).execute()) { ... }
 * }</pre>
 *
 * <p>An enqueued call that waits for its retry holds no thread and no place in the dispatcher. The
 * client keeps its pool, dispatcher, cache, interceptors and timeouts; its interceptors run once
 * per attempt. OkHttp's own resends are switched off. So every request on the wire is an attempt
 * that the report counts, except for redirects, authentication and the fallback to another address.
 *
 * <p>Options for one operation are a request tag: {@code
 * request.newBuilder().tag(RetryOptions.class, options)}. A clone of a call is an operation of its
 * own, with a key of its own unless the caller gave one. Upgrades (requests with an {@code Upgrade}
 * header) and duplex bodies pass untouched.
 *
 * <p>A journaled operation ({@link RetryOptions.Builder#journaled}) reads the body of its answer
 * within the attempt if the journal may keep it. A body that breaks meanwhile is a failure of the
 * attempt, unless the status is 400 or above. The bodies of streams are the caller's, and are not
 * kept.
 */
public final class RetryingCallFactory implements Call.Factory {
  private final Call.Factory plain;
  private final HttpRetry retry;
  private final FactoryContext context;

  private RetryingCallFactory(
      OkHttpClient client,
      @Nullable Function<? super OkHttpClient, ? extends Call.Factory> around,
      HttpRetry retry) {
    CallTimeouts.requireEndOfAttempts(client, retry);
    this.retry = retry;
    Function<OkHttpClient, Call.Factory> checked =
        around == null ? null : each -> made(around, each);
    this.plain = checked == null ? client : checked.apply(client);
    this.context = new FactoryContext(this, client, checked, retry);
  }

  /**
   * The call factory that a function of the user's makes of a client.
   *
   * @throws IllegalArgumentException if it retries by itself
   */
  private static Call.Factory made(
      Function<? super OkHttpClient, ? extends Call.Factory> around, OkHttpClient client) {
    Call.Factory made = Checks.notNull("call factory", around.apply(client));
    if (made instanceof RetryingCallFactory) {
      throw Checks.bad("call factory", "RetryingCallFactory", "one that does not retry");
    }
    return made;
  }

  /**
   * Wraps a client.
   *
   * @param client the client; not changed
   * @param retry the configuration
   * @return a factory for calls that are retried
   * @throws IllegalStateException if OkHttp 3 is on the class path
   * @throws IllegalArgumentException if the configuration has an {@link
   *     dev.steadfast.retry.limit.AdaptiveLimit} and neither it nor the client has a timeout
   */
  public static RetryingCallFactory wrap(OkHttpClient client, HttpRetry retry) {
    OneOkHttp.require();
    return new RetryingCallFactory(
        Checks.notNull("client", client), null, Checks.notNull("retry", retry));
  }

  /**
   * Wraps a client that is used through a call factory, such as that of {@code OkHttpTelemetry}.
   * Each attempt is a call of that factory: it sees a retry as a call of its own, and a trace has a
   * span per attempt. Put the other factory around this one for one span per operation, or around a
   * client with a {@link RetryInterceptor}.
   *
   * <pre>{@code
   * Call.Factory calls = RetryingCallFactory.wrap(client, telemetry::createCallFactory, retry);
   * }</pre>
   *
   * @param client the client; not changed
   * @param factory makes a call factory that sends through the client it is given; called twice,
   *     with a client that does not resend by itself, and with the given one for upgrades and
   *     duplex bodies; and once more when an attempt leaves a dead connection for the first time
   *     ({@link HttpRetry.Builder#leaveDeadConnections}). It keeps the tags of requests. An answer
   *     that comes by other means ends its operation with an {@link IllegalStateException}
   * @param retry the configuration
   * @return a factory for calls that are retried
   * @throws IllegalStateException if OkHttp 3 is on the class path
   * @throws NullPointerException if an argument is null, or the factory that is made
   * @throws IllegalArgumentException if the factory that is made retries by itself, or is a client
   *     that lacks the interceptors of the given one; or as for the other {@code wrap}
   */
  public static RetryingCallFactory wrap(
      OkHttpClient client,
      Function<? super OkHttpClient, ? extends Call.Factory> factory,
      HttpRetry retry) {
    OneOkHttp.require();
    return new RetryingCallFactory(
        Checks.notNull("client", client),
        Checks.notNull("factory", factory),
        Checks.notNull("retry", retry));
  }

  /**
   * Prepares a call. Nothing is sent yet.
   *
   * @param request the request; a {@link RetryOptions} among its tags applies to this call alone
   * @return a call that is executed or enqueued once, as every OkHttp call
   * @throws IllegalArgumentException if the request carries a key header twice, with control
   *     characters, or with a key of more than 255 characters, or if the key that is made for it is
   *     out of its range; if it is journaled, also if its body is read once or too long for the
   *     journal and has no {@link RetryOptions.Builder#fingerprint}, or if it is an upgrade or has
   *     a duplex body
   */
  @Override
  public Call newCall(Request request) {
    return OkHttpViews.untouched(request)
        ? plain.newCall(request)
        : CallProxy.complete(call(request));
  }

  RetryingCall call(Request request) {
    return new RetryingCall(context, request, context.operation(request));
  }

  /**
   * The part of a request that a journal keeps, for {@code journal.enlist(connection,
   * calls.intent(request))}. Nothing is sent.
   *
   * @param request the request; a {@link RetryOptions} among its tags names the operation by {@link
   *     RetryOptions.Builder#journaled}
   * @return the operation as the journal has it
   * @throws IllegalArgumentException if the request has no such options, or if {@link #newCall}
   *     refuses it
   */
  public Journaling.Kept intent(Request request) {
    if (OkHttpViews.untouched(request)) {
      throw Checks.bad("operation", "not journaled", "RetryOptions.journaled");
    }
    return context.operation(request).intent();
  }

  /**
   * Sends operations that a journal has and other calls or processes began.
   *
   * <p>Method, target, body, the headers that the journal keeps, and the key are those of the first
   * request. All else is as for every call of this factory: interceptors, which also add
   * credentials, timeouts, and policy. Characters that {@link java.net.URI} does not take, such as
   * {@code |}, go out percent-encoded. The thread waits for the answer, which is noted in the
   * journal and closed.
   *
   * @return sends through this factory; an {@link IllegalArgumentException} says that the body of a
   *     request is not kept
   */
  public Journaling.Sender sender() {
    return (journal, due) -> {
      try {
        newCall(SavedAnswers.request(journal, due)).execute().close();
      } catch (InterruptedIOException ended) {
        if (Thread.interrupted()) {
          throw interruption(ended);
        }
        throw ended; // a timeout
      }
    };
  }

  private static InterruptedException interruption(InterruptedIOException cause) {
    InterruptedException interruption = new InterruptedException();
    interruption.initCause(cause);
    return interruption;
  }

  /**
   * Cancels every call of this factory that is queued, on the wire or waiting. {@code
   * Dispatcher.cancelAll} does not reach calls that wait.
   */
  public void cancelAll() {
    context.cancelAll();
  }

  OkHttpClient client() {
    return context.client();
  }

  LiveCalls registry() {
    return context.registry();
  }

  int underWay() {
    return context.underWay();
  }

  @Override
  public String toString() {
    return "RetryingCallFactory(" + retry + ")";
  }
}
