package dev.steadfast.retry.opentelemetry;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * A span per attempt, by the stable conventions for HTTP clients. The URL has no query, because a
 * query may have secrets.
 *
 * @param tracer makes the spans
 * @param propagator writes their context into requests
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/http/http-spans/">Semantic conventions
 *     for HTTP spans</a>
 */
record ClientSpans(Tracer tracer, TextMapPropagator propagator) implements AttemptTracing {
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> METHOD_ORIGINAL =
      AttributeKey.stringKey("http.request.method_original");
  private static final AttributeKey<Long> RESEND_COUNT =
      AttributeKey.longKey("http.request.resend_count");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> URL = AttributeKey.stringKey("url.full");
  private static final AttributeKey<String> SERVER = AttributeKey.stringKey("server.address");
  private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");

  private static final Set<String> METHODS =
      Set.of("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");

  @Override
  public boolean makesSpans() {
    return true;
  }

  @Override
  public Collection<String> headers() {
    return propagator.fields();
  }

  @Override
  public Map<String, String> headers(Context attempt) {
    Map<String, String> headers = new HashMap<>();
    propagator.inject(
        attempt,
        headers,
        (made, name, value) -> {
          if (made != null) {
            made.put(name, value);
          }
        });
    return headers;
  }

  // Attributes that samplers may ask for are set before the start.
  @Override
  public Span start(OperationInfo operation, int number, Context parent) {
    String label = operation.label(); // the method, a space, and the URL without its query
    int space = label.indexOf(' ');
    String method = label.substring(0, Math.max(0, space));
    boolean known = METHODS.contains(method);
    SpanBuilder span =
        tracer
            .spanBuilder(known ? method : "HTTP")
            .setParent(parent)
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute(METHOD, known ? method : "_OTHER")
            .setAttribute(URL, label.substring(space + 1));
    if (!known) {
      span.setAttribute(METHOD_ORIGINAL, method);
    }
    if (number > 1) {
      span.setAttribute(RESEND_COUNT, number - 1);
    }
    setServer(span, operation.origin());
    return span.startSpan();
  }

  // An origin is a scheme, "://", a host, a colon and a port.
  private static void setServer(SpanBuilder span, String origin) {
    int host = origin.indexOf("://") + 3;
    int colon = origin.lastIndexOf(':');
    if (host < 3 || colon < host) {
      return;
    }
    String name = origin.substring(host, colon);
    span.setAttribute(SERVER, name.startsWith("[") ? name.substring(1, name.length() - 1) : name);
    span.setAttribute(PORT, Long.parseLong(origin.substring(colon + 1)));
  }

  @Override
  public void end(Span span, AttemptReport attempt) {
    if (span.isRecording()) {
      attempt.status().ifPresent(status -> setStatus(span, status));
      attempt.failure().ifPresent(thrown -> setError(span, thrown.getClass().getName()));
      attempt.kind().ifPresent(kind -> span.setAttribute(Names.KIND, Names.text(kind)));
      span.setAttribute(Names.DISPOSITION, Names.text(attempt.disposition()));
    }
    span.end();
  }

  private static void setStatus(Span span, int status) {
    span.setAttribute(STATUS, status);
    if (status >= 400) {
      setError(span, Integer.toString(status));
    }
  }

  private static void setError(Span span, String type) {
    span.setAttribute(Names.ERROR_TYPE, type);
    span.setStatus(StatusCode.ERROR);
  }
}
