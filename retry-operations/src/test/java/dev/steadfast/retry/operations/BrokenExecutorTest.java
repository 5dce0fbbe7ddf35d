package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A journal whose executor throws what no executor should. */
class BrokenExecutorTest {
  private final IllegalStateException broken = new IllegalStateException("broken executor");
  private int tasks;
  private int sent;
  private @Nullable RetryReport told;

  /** Throws at the task with this number. */
  private Executor throwingAt(int number) {
    return task -> {
      if (++tasks == number) {
        throw broken;
      }
      task.run();
    };
  }

  /** A journal in memory, with an executor. */
  private static OperationJournal on(Executor executor) {
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

  /** Answers each attempt at once. */
  private final class Answering implements RetryTransport<String>, Journaling.Codec<String> {
    private static final Evidence EVIDENCE =
        Evidence.of(Evidence.Requests.of(Disposition.ANSWERED, Evidence.Safety.KEYED), 201, 1);

    @Override
    public void start(Attempt<String> attempt) {
      sent++;
      attempt.begin("request");
      attempt.complete("answer", null);
    }

    @Override
    public Outcome outcome(String response) {
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
      throw new AssertionError("nothing is handed back");
    }
  }

  private String call(int throwsAt, boolean async) throws Throwable {
    OperationJournal journal = on(throwingAt(throwsAt));
    HttpRetry retry =
        HttpRetry.builder().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    RetryOptions order = RetryOptions.builder().journaled("charge", "order-4711").build();
    HttpOperation operation = retry.operation(TestRequest.of("POST").body("5"), order);
    Answering client = new Answering();
    RetryLoop<String> loop = operation.loop(operation.plan(), client, client);
    if (!async) {
      return loop.run(operation.boundNanos());
    }
    CompletableFuture<String> future =
        loop.start(operation.boundNanos(), answer -> answer, UnaryOperator.identity());
    try {
      return future.join();
    } catch (CompletionException failed) {
      throw failed.getCause();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutAClaimNothingIsSent(boolean async) {
    assertSame(broken, assertThrows(IllegalStateException.class, () -> call(1, async)));
    assertEquals(0, sent);
    RetryReport report = RetryReport.of(broken).orElseThrow();
    assertEquals(StopReason.NOT_RETRYABLE, report.reason());
    assertEquals(0, report.attempts());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutANoteTheCallerGetsTheAnswer(boolean async) throws Throwable {
    assertEquals("answer", call(2, async));
    assertEquals(1, sent);
    RetryReport report = assertInstanceOf(RetryReport.class, told);
    assertEquals(RetryReport.Effect.SUCCEEDED, report.saved().orElseThrow().effect());
    assertEquals(false, report.saved().orElseThrow().recorded());
  }
}
