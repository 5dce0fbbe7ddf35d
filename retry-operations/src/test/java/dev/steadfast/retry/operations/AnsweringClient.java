package dev.steadfast.retry.operations;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TestRequest;
import dev.steadfast.retry.http.TestResponse;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A client whose server answers each attempt at once. */
final class AnsweringClient implements RetryTransport<String>, Journaling.Codec<String> {
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Evidence EVIDENCE =
      Evidence.of(Disposition.ANSWERED, Evidence.Safety.KEYED, 201, 1);

  final AtomicInteger sent = new AtomicInteger();
  volatile @Nullable RetryReport told;
  Runnable atOutcome = () -> {};

  /** A journal in memory, with an executor. */
  static OperationJournal journal(Executor executor) {
    OperationJournal inner = OperationJournal.inMemory(1);
    return (OperationJournal)
        Proxy.newProxyInstance(
            OperationJournal.class.getClassLoader(),
            new Class<?>[] {OperationJournal.class},
            (proxy, method, arguments) ->
                method.getName().equals("executor")
                    ? Optional.of(executor)
                    : method.invoke(inner, arguments));
  }

  /** The loop of the journaled operation that this client sends. */
  RetryLoop<String> loop(OperationJournal journal) {
    HttpRetry retry =
        HttpRetry.builder().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    RetryOptions order = RetryOptions.builder().journaled("charge", "order-4711").build();
    HttpOperation operation = retry.operation(TestRequest.of("POST").body("5"), order);
    return operation.loop(operation.plan(), this, this);
  }

  /** What the report that came with the answer says of the journal. */
  RetryReport.Saved saved() {
    return Optional.ofNullable(told).flatMap(RetryReport::saved).orElseThrow();
  }

  @Override
  public void start(Attempt<String> attempt) {
    sent.incrementAndGet();
    attempt.begin("request");
    attempt.complete("answer", null);
  }

  @Override
  public Outcome outcome(String response) {
    atOutcome.run();
    return new Outcome(Verdict.accepted(), EVIDENCE);
  }

  @Override
  public Outcome outcome(Throwable failure) {
    throw new AssertionError(failure);
  }

  @Override
  public Evidence evidence() {
    return EVIDENCE;
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    throw new AssertionError(end.toString(), cause);
  }

  @Override
  public String deliver(String response, @Nullable RetryReport report) {
    told = report;
    return response;
  }

  @Override
  public ResponseView head(String response) {
    return TestResponse.of(201);
  }

  @Override
  public byte[] body(String response) {
    return response.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Journaling.EarlierRequest earlierRequest(String response) {
    return Journaling.EarlierRequest.NONE;
  }

  @Override
  public String restore(ResponseView head, byte[] body, RetryReport report) {
    told = report;
    return new String(body, StandardCharsets.UTF_8);
  }
}
