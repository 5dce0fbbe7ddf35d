package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TransportFailure;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** GET requests through the machine and the rules of HTTP, with outcomes by a script. */
final class ScriptedCalls {

  /** What one attempt leads to. */
  sealed interface Ending {}

  /** An answer. */
  record Status(int status, Map<String, List<String>> headerMap, boolean cached, String server)
      implements Ending, ResponseView {
    Status(int status, Map<String, List<String>> headerMap, boolean cached) {
      this(status, headerMap, cached, "");
    }

    Status from(String origin) {
      return new Status(status, headerMap, cached, origin);
    }

    static Status of(int status) {
      return new Status(status, Map.of(), false);
    }

    static Status of(int status, String header, String value) {
      return new Status(status, Map.of(header, List.of(value)), false);
    }

    @Override
    public Optional<String> origin() {
      return Optional.of(server);
    }

    @Override
    public List<String> headers(String name) {
      return headerMap.entrySet().stream()
          .filter(each -> each.getKey().equalsIgnoreCase(name))
          .map(Map.Entry::getValue)
          .flatMap(Collection::stream)
          .toList();
    }
  }

  /** A failure. */
  record Failed(TransportFailure failure) implements Ending {}

  /** No end of its own: until the deadline, or a cancellation. */
  record Pending() implements Ending {}

  /** An answer after some code has run. */
  record After(Runnable action, Ending then) implements Ending {}

  private static final class FailedException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient TransportFailure failure;

    FailedException(TransportFailure failure) {
      super(failure.kind().toString());
      this.failure = failure;
    }
  }

  private record Get(URI uri) implements RequestView {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public Optional<byte[]> body(int limit) {
      return Optional.of(new byte[0]);
    }
  }

  private final HttpRetry retry;
  private final boolean timed;

  ScriptedCalls(HttpRetry retry) {
    this(retry, true);
  }

  /** Calls of a client that has timeouts of its own, or has not. */
  ScriptedCalls(HttpRetry retry, boolean timed) {
    this.retry = retry;
    this.timed = timed;
  }

  private Script script(HttpOperation operation, Ending... outcomes) {
    return new Script(operation, timed, outcomes);
  }

  /** Blocks; the outcome after the last is a 200. */
  Status call(String url, Ending... outcomes) throws Throwable {
    return call(url, RetryOptions.none(), outcomes);
  }

  Status call(String url, RetryOptions options, Ending... outcomes) throws Throwable {
    HttpOperation operation = retry.operation(new Get(URI.create(url)), options);
    return RetryLoop.of(operation.plan(), operation.info(), script(operation, outcomes))
        .run(operation.boundNanos());
  }

  CompletableFuture<Status> start(String url, Ending... outcomes) {
    return start(url, RetryOptions.none(), outcomes);
  }

  CompletableFuture<Status> start(String url, RetryOptions options, Ending... outcomes) {
    HttpOperation operation = retry.operation(new Get(URI.create(url)), options);
    return RetryLoop.of(operation.plan(), operation.info(), script(operation, outcomes))
        .start(operation.boundNanos(), status -> status, UnaryOperator.identity());
  }

  private static final class Script implements RetryTransport<Status> {
    private final HttpOperation operation;
    private final boolean timed;
    private final Queue<Ending> outcomes;

    Script(HttpOperation operation, boolean timed, Ending... outcomes) {
      this.operation = operation;
      this.timed = timed;
      this.outcomes = new ArrayDeque<>(List.of(outcomes));
    }

    @Override
    public void start(Attempt<Status> attempt) {
      if (attempt.begin("GET")) {
        Ending next = outcomes.poll();
        end(attempt, next == null ? Status.of(200) : next);
      }
    }

    private static void end(Attempt<Status> attempt, Ending outcome) {
      if (outcome instanceof Status status) {
        attempt.complete(status, null);
      } else if (outcome instanceof Failed failed) {
        attempt.complete(null, new FailedException(failed.failure()));
      } else if (outcome instanceof After after) {
        after.action().run();
        end(attempt, after.then());
      }
    }

    @Override
    public boolean boundsAttempts() {
      return !timed;
    }

    @Override
    public Outcome outcome(Status response) {
      Evidence evidence = evidence(Disposition.ANSWERED, response.status());
      return response.cached()
          ? new Outcome(Verdict.acceptedWithoutServer(), evidence)
          : operation.outcome(response.from(operation.info().origin()), evidence);
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return operation.outcome(
          failure instanceof FailedException failed
              ? failed.failure
              : TransportFailure.of(FailureKind.TIMEOUT),
          evidence());
    }

    @Override
    public Evidence evidence() {
      return evidence(Disposition.UNKNOWN, -1);
    }

    private Evidence evidence(Disposition last, int status) {
      return Evidence.of(last, operation.safety(), status, 1);
    }

    @Override
    public Map<String, List<String>> headers(Status response) {
      return response.headerMap();
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return switch (end) {
        case ATTEMPT_TIMEOUT, DEADLINE -> new TimeoutException(end.toString());
        case CANCELLED, INTERRUPTED -> new CancellationException(end.toString());
        case REJECTED -> new IOException(end.toString(), cause);
      };
    }

    @Override
    public void callBack(Runnable continuation) {
      new CompletableFuture<Void>().defaultExecutor().execute(continuation);
    }
  }
}
