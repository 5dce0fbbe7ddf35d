package dev.steadfast.retry.http;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Carries operations out as an adapter does, against a script: each entry is a {@link TestResponse}
 * or a {@link Failure}, and the last one is repeated.
 */
public final class Wire implements RetryTransport<TestResponse> {
  private final HttpOperation operation;
  private final Queue<Object> script;
  private final List<Map<String, String>> sent = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private @Nullable RetryReport report;
  private @Nullable Throwable thrown;

  private Wire(HttpOperation operation, List<Object> script) {
    this.operation = operation;
    this.script = new ArrayDeque<>(script);
  }

  public static Wire run(HttpOperation operation, Object... script) {
    Wire wire = new Wire(operation, List.of(script));
    wire.run();
    return wire;
  }

  private void run() {
    RetryLoop<TestResponse> loop = RetryLoop.of(operation.plan(), operation.info(), this);
    try {
      loop.run(operation.boundNanos());
    } catch (Throwable failure) {
      thrown = failure;
      report = RetryReport.of(failure).orElseThrow();
    }
  }

  /** The headers that each attempt added to the caller's. */
  List<Map<String, String>> sent() {
    return sent;
  }

  /** The values of one header on each attempt, "absent" where there was none. */
  List<String> sent(String header) {
    return sent.stream().map(each -> each.getOrDefault(header, "absent")).toList();
  }

  List<Outcome> outcomes() {
    return outcomes;
  }

  public RetryReport report() {
    return operation.report(report);
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  /** A failure and what became of the request. */
  public record Failure(TransportFailure what, Disposition last) {}

  public static Failure failure(FailureKind kind, Disposition last) {
    return new Failure(TransportFailure.of(kind), last);
  }

  /** How an attempt ends that gets an answer to the request as it was handed over. */
  static Outcome outcome(HttpOperation operation, TestResponse response) {
    Disposition last = AnswerProof.of(response.status()).disposition();
    return operation.outcome(response, evidence(operation, last, response.status()));
  }

  /** How an attempt ends that fails. */
  static Outcome outcome(HttpOperation operation, Failure failure) {
    return operation.outcome(failure.what(), evidence(operation, failure.last(), -1));
  }

  private static Evidence evidence(HttpOperation operation, Disposition last, int status) {
    return Evidence.of(last, operation.safety(), status, 1);
  }

  /** A failure as a client would throw it. */
  private static final class Broken extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Failure failure;

    Broken(Failure failure) {
      super("broken");
      this.failure = failure;
    }
  }

  @Override
  public void start(Attempt<TestResponse> attempt) throws IOException {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    operation.headers(attempt.timeoutNanos(), headers::put);
    sent.add(headers);
    attempt.begin(headers);
    headers.putAll(operation.lateHeaders(attempt));
    Object next = script.size() == 1 ? script.element() : script.remove();
    if (next instanceof Failure failure) {
      throw new Broken(failure);
    }
    attempt.complete((TestResponse) next, null);
  }

  @Override
  public Outcome outcome(TestResponse response) {
    return kept(outcome(operation, response));
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return kept(outcome(operation, ((Broken) failure).failure));
  }

  private Outcome kept(Outcome outcome) {
    outcomes.add(outcome);
    return outcome;
  }

  @Override
  public Evidence evidence() {
    return evidence(operation, Disposition.UNSENT, -1);
  }

  @Override
  public TestResponse deliver(TestResponse response, @Nullable RetryReport outcome) {
    report = outcome;
    return response;
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return new IOException(end.name(), cause);
  }
}
