package dev.steadfast.retry.opentelemetry;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** How attempts become spans. They do not by default. Safe for use by many threads. */
interface AttemptTracing {

  /** The context of the attempts of an operation, given that of the operation. */
  default Context context(Context operation) {
    return operation;
  }

  /** Whether attempts are spans. If not, none is started or ended. */
  default boolean makesSpans() {
    return false;
  }

  /** The names of the headers that {@link #headers(Context)} makes. */
  default Collection<String> headers() {
    return List.of();
  }

  /** The headers that carry a context to the server. */
  default Map<String, String> headers(Context attempt) {
    return Map.of();
  }

  /** Starts the span of an attempt. */
  default Span start(OperationInfo operation, int number, Context parent) {
    return Span.getInvalid();
  }

  /** Ends the span of an attempt. */
  default void end(Span span, AttemptReport attempt) {}
}
