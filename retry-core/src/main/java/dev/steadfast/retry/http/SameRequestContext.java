package dev.steadfast.retry.http;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryPlan;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context that is in force while a client makes an attempt. If the request meets another client
 * that retries on its way, perhaps with a tracing client in between, that client makes single
 * attempts. The request is recognized by its method and URI. Other operations, such as a call for a
 * token, see the context around this one.
 */
final class SameRequestContext implements CallContext {
  private final RetryPlan plan;
  private final RequestView request;
  private final @Nullable CallContext around;

  SameRequestContext(RetryPlan plan, RequestView request, @Nullable CallContext around) {
    this.plan = plan;
    this.request = request;
    this.around = around;
  }

  static String target(RequestView request) {
    return request.method() + " " + request.uri();
  }

  /** Whether a request is the one of the attempt that is being made. */
  static boolean isOf(@Nullable CallContext here, RequestView request) {
    return here instanceof SameRequestContext attempt
        && target(attempt.request).equals(target(request));
  }

  @Override
  public @Nullable CallContext of(Supplier<String> target) {
    return target(request).equals(target.get()) ? plan.asLayer() : around;
  }

  @Override
  public @Nullable CallContext around() {
    return around;
  }
}
