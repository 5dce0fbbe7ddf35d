package dev.steadfast.retry.opentelemetry;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.Durations;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the events of operations into spans and events of spans. Safe for use by many threads. */
final class OperationTracing implements RetryListener {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  /** An operation under way. Confined, as its events come one after the other. */
  private static final class Trace {
    private final @Nullable Span operation;
    private final Span told; // gets the events
    private final Context attempts; // the context in which attempts are made
    private @Nullable Sending sending; // the attempt under way, null if it has no span

    Trace(@Nullable Span operation, Span told, Context attempts) {
      this.operation = operation;
      this.told = told;
      this.attempts = attempts;
    }
  }

  /** An attempt under way. A propagator may still work for it when the next one has begun. */
  private static final class Sending {
    private final Span span;
    private @Nullable Map<String, String> headers; // once they are made

    Sending(Span span) {
      this.span = span;
    }
  }

  private final @Nullable Tracer tracer; // null: operations are no spans
  private final AttemptTracing tracing;
  private final Map<OperationInfo, Trace> open = new ConcurrentHashMap<>();

  OperationTracing(@Nullable Tracer tracer, AttemptTracing tracing) {
    this.tracer = tracer;
    this.tracing = tracing;
  }

  @Override
  public void operationStarted(OperationInfo operation) {
    Context caller = Context.current();
    if (tracer == null) {
      open.put(operation, new Trace(null, Span.fromContext(caller), attempts(caller)));
      return;
    }
    String name = operation.name().orElse(Names.OPERATION);
    Span span = tracer.spanBuilder(name).setParent(caller).startSpan();
    open.put(operation, new Trace(span, span, attempts(caller.with(span))));
  }

  private Context attempts(Context operation) {
    try {
      return tracing.context(operation);
    } catch (Throwable broken) { // of a function of the user's; the span has begun and must end
      LOG.warn("the attempts of an operation are not counted; the operation goes on", broken);
      return operation;
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // whoever calls this closes it
  @Override
  public @Nullable AutoCloseable enterAttempt(OperationInfo operation, int attempt) {
    Trace trace = open.get(operation);
    return trace == null ? null : trace.attempts.makeCurrent();
  }

  @Override
  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
    Trace trace = ofSpans(operation);
    if (trace != null) {
      trace.sending = null; // if the tracer throws
      trace.sending = new Sending(tracing.start(operation, attempt, trace.attempts));
    }
  }

  private @Nullable Trace ofSpans(OperationInfo operation) {
    return tracing.makesSpans() ? open.get(operation) : null;
  }

  /** The names of the headers that carry the context of an attempt. */
  Collection<String> headers() {
    return tracing.headers();
  }

  /** A header that carries the context of the attempt that has begun. */
  Optional<String> header(OperationInfo operation, String name) {
    Trace trace = open.get(operation);
    Sending sending = trace == null ? null : trace.sending;
    if (trace == null || sending == null) {
      return Optional.empty();
    }
    Map<String, String> headers = sending.headers;
    if (headers == null) {
      sending.headers = Map.of(); // if the propagator throws
      headers = tracing.headers(trace.attempts.with(sending.span));
      sending.headers = headers;
    }
    return Optional.ofNullable(headers.get(name));
  }

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    Trace trace = ofSpans(operation);
    Sending sending = trace == null ? null : trace.sending;
    if (sending != null) {
      tracing.end(sending.span, attempt);
    }
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    Trace trace = open.get(operation);
    if (trace != null && trace.told.isRecording()) {
      trace.told.addEvent(
          Names.WAIT,
          Attributes.of(
              Names.WAIT_SECONDS, Durations.nanos(delay) / 1e9, Names.WAIT_WHY, Names.text(why)));
    }
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    Trace trace = open.remove(operation);
    if (trace == null) {
      return;
    }
    Span span = trace.operation;
    if (span != null) {
      span.setAllAttributes(end(report));
      if (report.reason() != StopReason.ACCEPTED) {
        span.setAttribute(Names.ERROR_TYPE, Names.text(report.reason()));
        span.setStatus(StatusCode.ERROR);
      }
      span.end();
    } else if (trace.told.isRecording() && !isPlain(report)) {
      trace.told.addEvent(Names.END, end(report));
    }
  }

  private static boolean isPlain(RetryReport report) {
    return report.attempts() == 1 && report.reason() == StopReason.ACCEPTED;
  }

  private static Attributes end(RetryReport report) {
    return Attributes.of(
        Names.REASON,
        Names.text(report.reason()),
        Names.ATTEMPTS,
        (long) report.attempts(),
        Names.OUTCOME_UNKNOWN,
        report.outcomeUnknown(),
        Names.REPLAYED,
        report.replayed());
  }

  /** The number of operations under way. */
  int open() {
    return open.size();
  }
}
