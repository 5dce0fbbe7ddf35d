package dev.steadfast.retry.http;

import dev.steadfast.retry.Attempt;
import dev.steadfast.retry.Exchange;
import dev.steadfast.retry.RetryLoop;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.SendState;
import dev.steadfast.retry.Verdict;
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
 * or a {@link TransportFailure}, and the last one is repeated.
 */
final class Wire implements Exchange<TestResponse> {
  private final HttpOperation operation;
  private final Queue<Object> script;
  private final List<Map<String, String>> sent = new ArrayList<>();
  private final List<Verdict> verdicts = new ArrayList<>();
  private @Nullable RetryReport report;
  private @Nullable Throwable thrown;

  private Wire(HttpOperation operation, List<Object> script) {
    this.operation = operation;
    this.script = new ArrayDeque<>(script);
  }

  static Wire run(HttpOperation operation, Object... script) {
    Wire wire = new Wire(operation, List.of(script));
    wire.run();
    return wire;
  }

  private void run() {
    RetryLoop<TestResponse> loop = new RetryLoop<>(operation.plan(), operation.info(), this);
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

  List<Verdict> verdicts() {
    return verdicts;
  }

  RetryReport report() {
    return report == null ? RetryReport.clean() : report;
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  /** A failure as a client would throw it. */
  private static final class Broken extends IOException {
    private static final long serialVersionUID = 1;

    private final transient TransportFailure failure;

    Broken(TransportFailure failure) {
      super("broken");
      this.failure = failure;
    }
  }

  @Override
  public void start(Attempt<TestResponse> attempt) throws IOException {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    operation.headers(attempt.number(), attempt.timeoutNanos(), headers::put);
    sent.add(headers);
    attempt.begin(headers);
    Object next = script.size() == 1 ? script.element() : script.remove();
    if (next instanceof TransportFailure failure) {
      throw new Broken(failure);
    }
    attempt.complete((TestResponse) next, null);
  }

  @Override
  public Verdict judge(TestResponse response) {
    return kept(operation.judge(response));
  }

  @Override
  public Verdict judge(Throwable failure) {
    return kept(operation.judge(((Broken) failure).failure));
  }

  private Verdict kept(Verdict verdict) {
    verdicts.add(verdict);
    return verdict;
  }

  @Override
  public Facts facts(@Nullable TestResponse response, @Nullable Throwable failure) {
    if (response != null) {
      return operation.facts(response, 1);
    }
    return failure instanceof Broken broken
        ? HttpOperation.facts(broken.failure, 1)
        : HttpOperation.facts(HttpOperation.cancelled(SendState.NEVER_SENT), 0);
  }

  @Override
  public TestResponse deliver(TestResponse response, RetryReport outcome) {
    report = outcome;
    return response;
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return new IOException(end.name(), cause);
  }
}
