package dev.steadfast.retry.opentelemetry;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.Checks;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Traces operations with OpenTelemetry. All attempts of an operation are spans of one trace and
 * children of the span that was current when the operation began, on whatever threads they run.
 *
 * <pre>{@code
 * HttpRetry retry = RetryTracing.of(openTelemetry).addTo(HttpRetry.builder()).build();
 * }</pre>
 *
 * <p>Each attempt is by default a span of the kind CLIENT, by the stable conventions for HTTP, and
 * the request carries its context. If an instrumentation library makes such spans for the client
 * already, use {@link Builder#instrumentedClient}, and this makes none.
 *
 * <p>A wait, and the end of an operation that did not succeed at its first attempt, are events on
 * the span that was current; {@link Builder#operationSpans} gives them a span of their own. An
 * exception of the tracer is logged and changes nothing. Immutable and safe for use by many
 * threads; any number of configurations may share one object.
 */
public final class RetryTracing {
  // Why it is like this: docs/decisions/meters-and-threads.md
  private static final ContextCapture CALLER =
      () -> {
        Context caller = Context.current();
        return () -> isBrought(caller) ? Scope.noop() : caller.makeCurrent();
      };

  private final OpenTelemetry openTelemetry;
  private final @Nullable UnaryOperator<Context> resendCounter;
  private final boolean operationSpans;

  private RetryTracing(Builder builder) {
    this.openTelemetry = builder.openTelemetry;
    this.resendCounter = builder.resendCounter;
    this.operationSpans = builder.operationSpans;
  }

  // Whether this thread has the caller's trace already: OkHttpTelemetry restores it on the threads
  // of the dispatcher, with a resend counter that must not be replaced.
  private static boolean isBrought(Context caller) {
    Context here = Context.current();
    return !here.equals(Context.root())
        && Span.fromContext(here).equals(Span.fromContext(caller))
        && CountedResends.inSameOperation(here, caller);
  }

  /**
   * Tracing with every default.
   *
   * @param openTelemetry makes spans, and writes their context into requests
   * @return tracing for the configurations of clients
   */
  public static RetryTracing of(OpenTelemetry openTelemetry) {
    return builder(openTelemetry).build();
  }

  /**
   * Starts with the defaults.
   *
   * @param openTelemetry makes spans, and writes their context into requests
   * @return a new builder
   */
  public static Builder builder(OpenTelemetry openTelemetry) {
    return new Builder(Checks.notNull("openTelemetry", openTelemetry));
  }

  /**
   * Traces the operations of a configuration: adds a listener, the caller's context, and the
   * headers that carry the context of an attempt.
   *
   * @param builder the builder of the configuration
   * @return the builder
   */
  public HttpRetry.Builder addTo(HttpRetry.Builder builder) {
    return addTo(builder, operations(attempts()));
  }

  HttpRetry.Builder addTo(HttpRetry.Builder builder, OperationTracing operations) {
    for (String header : operations.headers()) {
      builder.oncePerAttempt(header, (operation, number) -> operations.header(operation, header));
    }
    return builder.listener(operations).context(CALLER);
  }

  /** How the attempts of HTTP operations are traced. */
  AttemptTracing attempts() {
    return resendCounter == null
        ? new ClientSpans(tracer(), openTelemetry.getPropagators().getTextMapPropagator())
        : new CountedResends(resendCounter);
  }

  /**
   * Traces the operations of a retrier. Their attempts are no spans, because the work is unknown.
   *
   * @param builder the builder of the retrier
   * @return the builder
   */
  public Retrier.Builder addTo(Retrier.Builder builder) {
    return builder.listener(operations(new AttemptTracing() {})).context(CALLER);
  }

  OperationTracing operations(AttemptTracing attempts) {
    return new OperationTracing(operationSpans ? tracer() : null, attempts);
  }

  private Tracer tracer() {
    return openTelemetry.getTracer(Names.INSTRUMENTATION);
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private final OpenTelemetry openTelemetry;
    private @Nullable UnaryOperator<Context> resendCounter;
    private boolean operationSpans;

    private Builder(OpenTelemetry openTelemetry) {
      this.openTelemetry = openTelemetry;
    }

    /**
     * Serves clients that an instrumentation library traces. Steadfast then makes no span per
     * attempt, but has the library number the attempts of an operation in {@code
     * http.request.resend_count}. The library otherwise takes each attempt for a request of its
     * own.
     *
     * <pre>{@code
     * .instrumentedClient(HttpClientRequestResendCount::initialize)
     * }</pre>
     *
     * @param resendCounter adds a counter of resends to the context of an operation: {@code
     *     HttpClientRequestResendCount::initialize} of the artifact {@code
     *     opentelemetry-instrumentation-api}
     * @return this
     */
    public Builder instrumentedClient(UnaryOperator<Context> resendCounter) {
      this.resendCounter = Checks.notNull("resendCounter", resendCounter);
      return this;
    }

    /**
     * Whether each operation is a span of the kind INTERNAL around its attempts. It has the name
     * that the caller gave to the operation, or else {@code steadfast.operation}, and no attributes
     * of HTTP. Default: false.
     *
     * @param operationSpans true for such spans
     * @return this
     */
    public Builder operationSpans(boolean operationSpans) {
      this.operationSpans = operationSpans;
      return this;
    }

    /**
     * The tracing.
     *
     * @return tracing for the configurations of clients
     */
    public RetryTracing build() {
      return new RetryTracing(this);
    }
  }
}
