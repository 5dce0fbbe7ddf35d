package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.impl.async.H2AsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Adds retries to the builder of an Apache HttpClient 5, and options to single calls. A client that
 * is built already cannot be changed: it shows neither its handlers nor its own retries.
 */
public final class Apache5Retry {
  private static final String HANDLER = "steadfast-retry";
  private static final String OPTIONS = "dev.steadfast.retry.options";

  private Apache5Retry() {}

  /**
   * Adds retries to the client that a builder makes, and switches its own off ({@code
   * disableAutomaticRetries}): they would multiply with ours, and send a POST again after a 503.
   *
   * <p>Call it last. A handler that is added in first place afterwards is around an operation with
   * all its attempts; all others, and all interceptors, run in each attempt, and their requests are
   * seen. Redirects, authentication, cookies, decompression and a cache work within each attempt as
   * before. A call waits on its own thread, and {@code cancel} of its request ends a wait at once.
   * The time in which an attempt waits for a connection of the pool counts as time of the attempt;
   * {@code RequestConfig.connectionRequestTimeout} bounds it.
   *
   * <p>A builder shows no timeouts. With an {@link dev.steadfast.retry.limit.AdaptiveLimit}, see to
   * it that each attempt ends: by an attempt timeout of the policy, or a {@code responseTimeout}.
   *
   * @param builder the builder of the client; call it once for each builder
   * @param retry the configuration
   * @return the builder
   * @throws NullPointerException if an argument is null
   */
  public static HttpClientBuilder addTo(HttpClientBuilder builder, HttpRetry retry) {
    Checks.notNull("builder", builder);
    Checks.notNull("retry", retry);
    return builder.disableAutomaticRetries().addExecInterceptorFirst(HANDLER, new RetryExec(retry));
  }

  /**
   * Adds retries to the asynchronous client that a builder makes, for HTTP/1.1 and HTTP/2, and
   * switches its own off, as for a {@linkplain #addTo(HttpClientBuilder, HttpRetry) blocking one}.
   *
   * <p>Call it last. A handler that is added in first place afterwards is around an operation with
   * all its attempts; all others, and all interceptors, run in each attempt. A call holds no thread
   * while it waits, and {@code cancel} of its future ends it at once. The first attempt is made on
   * the calling thread, later ones begin on a thread of the library.
   *
   * @param builder the builder of the client; call it once for each builder
   * @param retry the configuration
   * @return the builder
   * @throws NullPointerException if an argument is null
   */
  public static HttpAsyncClientBuilder addTo(HttpAsyncClientBuilder builder, HttpRetry retry) {
    Checks.notNull("builder", builder);
    Checks.notNull("retry", retry);
    return builder.disableAutomaticRetries().addExecInterceptorFirst(HANDLER, new RetryExec(retry));
  }

  /**
   * As {@link #addTo(HttpAsyncClientBuilder, HttpRetry)}, for a client that speaks nothing but
   * HTTP/2, with all its calls of one server on one connection.
   *
   * @param builder the builder of the client; call it once for each builder
   * @param retry the configuration
   * @return the builder
   * @throws NullPointerException if an argument is null
   */
  public static H2AsyncClientBuilder addTo(H2AsyncClientBuilder builder, HttpRetry retry) {
    Checks.notNull("builder", builder);
    Checks.notNull("retry", retry);
    return builder.disableAutomaticRetries().addExecInterceptorFirst(HANDLER, new RetryExec(retry));
  }

  /**
   * Sets the options of the calls that are made with a context, until they are set again.
   *
   * @param context the context, which is then passed to {@code execute}
   * @param options the options; {@link RetryOptions#none()} for none
   * @param <C> the type of the context
   * @return the context
   * @throws NullPointerException if an argument is null
   */
  public static <C extends HttpContext> C with(C context, RetryOptions options) {
    Checks.notNull("context", context);
    context.setAttribute(OPTIONS, Checks.notNull("options", options));
    return context;
  }

  /**
   * The configuration of a client. A client does not show its handlers, so it is asked by a request
   * that is cancelled already: a client without retries sends nothing of it, and our handler
   * answers it. Handlers around ours see that request.
   *
   * @param client a client whose builder was given to {@link #addTo}
   * @return the configuration that {@link #addTo} was given
   * @throws IllegalArgumentException if it is another client
   * @throws NullPointerException if the client is null
   */
  public static HttpRetry configuration(HttpClient client) {
    return RetryLookup.configuration(Checks.notNull("client", client));
  }

  /**
   * The part of a request that a journal keeps, for {@code journal.enlist(connection,
   * Apache5Retry.intent(client, request, options))}. Nothing is sent. An equal request of an
   * asynchronous client with the same configuration claims the operation, too.
   *
   * @param client a client whose builder was given to {@link #addTo}
   * @param request the request, with an absolute URI
   * @param options name the operation, by {@link RetryOptions.Builder#journaled}
   * @return the operation as the journal has it
   * @throws IllegalArgumentException if {@link #configuration} refuses the client, if the options
   *     name no operation, if the request has no host or asks for an upgrade, or if its body is
   *     read once or too long for the journal and the options have no {@link
   *     RetryOptions.Builder#fingerprint}
   * @throws NullPointerException if an argument is null
   */
  public static Journaling.Kept intent(
      HttpClient client, ClassicHttpRequest request, RetryOptions options) {
    Checks.notNull("options", options);
    if (Checks.notNull("request", request).getAuthority() == null) {
      throw Checks.bad("request", request.getRequestUri(), "one with an absolute URI");
    }
    untouched(request, options);
    return configuration(client)
        .operation(Apache5Views.OfRequest.unsent(request), options)
        .intent();
  }

  /**
   * Sends operations that a journal has and other calls or processes began.
   *
   * <p>Method, target, body, the headers that the journal keeps, and the key are those of the first
   * request. All else is as for every call of this client: handlers and interceptors, which also
   * add credentials, timeouts, and policy. The thread waits for the answer, which is noted in the
   * journal and closed. Operations that an asynchronous client began are resumed here, too.
   *
   * @param client a client whose builder was given to {@link #addTo}
   * @return sends through this client; an {@link IllegalArgumentException} says that the body of a
   *     request is not kept
   * @throws IllegalArgumentException if {@link #configuration} refuses the client
   * @throws NullPointerException if the client is null
   */
  public static Journaling.Sender sender(HttpClient client) {
    configuration(client);
    return (journal, due) -> ResumedRequest.send(client, journal, due);
  }

  static RetryOptions options(HttpContext context) {
    return context.getAttribute(OPTIONS) instanceof RetryOptions options
        ? options
        : RetryOptions.none();
  }

  /**
   * Whether a request passes untouched: it asks for an upgrade.
   *
   * @throws IllegalArgumentException if it does, and its options name a journaled operation
   */
  static boolean untouched(HttpRequest request, RetryOptions options) {
    boolean upgrade = request.containsHeader("Upgrade");
    if (upgrade) {
      options.refuseToJournal("an upgrade");
    }
    return upgrade;
  }
}
