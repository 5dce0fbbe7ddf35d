package dev.steadfast.retry.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Leaves the spans to the client's instrumentation, which numbers the attempts of an operation by
 * the one counter in their context.
 *
 * @param counter adds a counter to a context that has none
 */
record CountedResends(UnaryOperator<Context> counter) implements AttemptTracing {
  private static final ContextKey<Object> COUNTED = ContextKey.named("dev.steadfast.retry.counted");

  // An operation within an attempt of another one finds the counter of that one, and needs its own.
  // A counter that somebody else put there belongs to this operation: to a call factory that is
  // traced and has the retries within.
  @Override
  public Context context(Context operation) {
    boolean nested = operation.get(COUNTED) != null;
    Context counted = counter.apply(nested ? new Uncounted(operation) : operation);
    return counted.with(COUNTED, new Object());
  }

  /** Whether two contexts are of the same operation, or both of none. */
  static boolean inSameOperation(Context one, Context other) {
    return Objects.equals(one.get(COUNTED), other.get(COUNTED));
  }

  /** A context that seems to have no values, so that a counter is added. */
  private record Uncounted(Context real) implements Context {
    @Override
    public <V> @Nullable V get(ContextKey<V> key) {
      return null;
    }

    @Override
    public <V> Context with(ContextKey<V> key, V value) {
      return real.with(key, value);
    }
  }
}
