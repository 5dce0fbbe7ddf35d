package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
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
   * Sets what applies to the calls that are made with a context, until it is set again.
   *
   * @param context the context, which is then passed to {@code execute}
   * @param options what applies; {@link RetryOptions#none()} for nothing
   * @param <C> the type of the context
   * @return the context
   * @throws NullPointerException if an argument is null
   */
  public static <C extends HttpContext> C with(C context, RetryOptions options) {
    Checks.notNull("context", context);
    context.setAttribute(OPTIONS, Checks.notNull("options", options));
    return context;
  }

  static RetryOptions options(HttpContext context) {
    return context.getAttribute(OPTIONS) instanceof RetryOptions options
        ? options
        : RetryOptions.none();
  }
}
