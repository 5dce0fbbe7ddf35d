package dev.steadfast.retry.scenarios;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The loop of the core with the simplest possible client. It shows whether an error is in the loop
 * or in an adapter. It keeps the promises of OkHttp, so it runs OkHttp's rows.
 */
final class ReferenceClient implements Client {
  private final HttpRetry retry;
  private final PlainPool pool = new PlainPool();
  private final ExecutorService executor; // null: blocking
  private volatile RetryLoop<ReferenceCall.Answer> loop;

  private ReferenceClient(HttpRetry retry, ExecutorService executor) {
    this.retry = retry;
    this.executor = executor;
  }

  static EntryPoint blocking() {
    return entryPoint(Via.OKHTTP_EXECUTE, "reference, blocking");
  }

  static EntryPoint async() {
    return entryPoint(Via.OKHTTP_ENQUEUE, "reference, asynchronous");
  }

  private static EntryPoint entryPoint(Via via, String name) {
    return new EntryPoint() {
      @Override
      public Via via() {
        return via;
      }

      @Override
      public String name() {
        return name;
      }

      @Override
      public Client open(HttpRetry retry) {
        return new ReferenceClient(
            retry, Via.ASYNC.contains(via) ? Executors.newCachedThreadPool() : null);
      }
    };
  }

  @Override
  public Outcome call(URI uri, HttpCall call, Runnable onHead) throws Exception {
    try {
      ReferenceCall made =
          new ReferenceCall(retry, uri, call, new ReferenceCall.Wires(pool, executor));
      loop = made.operation().loop(made.operation().plan(), made, made);
      long bound = made.operation().boundNanos();
      ReferenceCall.Answer answer = executor == null ? loop.run(bound) : await(bound);
      onHead.run();
      return made.finish(answer);
    } catch (Throwable thrown) {
      return new Outcome.Failure(category(thrown), thrown);
    }
  }

  private ReferenceCall.Answer await(long bound) throws Throwable {
    CompletableFuture<ReferenceCall.Answer> done = new CompletableFuture<>();
    loop.start(
        bound,
        (answer, failure) -> {
          if (failure != null) {
            done.completeExceptionally(failure);
          } else {
            done.complete(answer);
          }
        });
    try {
      return done.get();
    } catch (ExecutionException failed) {
      throw failed.getCause();
    }
  }

  private static Outcome.Category category(Throwable thrown) {
    if (thrown instanceof Outcome.UserCodeException) {
      return Outcome.Category.USER;
    }
    if (thrown instanceof IllegalArgumentException) {
      return Outcome.Category.ILLEGAL_ARGUMENT;
    }
    if (thrown instanceof AttemptRefusedException) {
      return Outcome.Category.REFUSED_BY_GUARD;
    }
    if (thrown instanceof OperationJournal.RefusedException) {
      return Outcome.Category.REFUSED_BY_JOURNAL;
    }
    if (thrown instanceof InterruptedIOException) {
      return Thread.interrupted() ? Outcome.Category.INTERRUPTED : Outcome.Category.TIMEOUT;
    }
    if (thrown instanceof ConnectException) {
      return Outcome.Category.CONNECT;
    }
    if (thrown instanceof ReferenceCall.BrokenBodyException
        || thrown instanceof ProtocolException) {
      return Outcome.Category.BROKEN_ANSWER;
    }
    if (thrown instanceof IOException) {
      return "Canceled".equals(thrown.getMessage())
          ? Outcome.Category.CANCELLED
          : Outcome.Category.CONNECTION_LOST;
    }
    throw new AssertionError("unexpected", thrown);
  }

  @Override
  public void cancel() {
    loop.cancel();
  }

  @Override
  public List<String> headerValues(Object request, String name) {
    return Received.values(((ReferenceCall.Sent) request).headers(), name);
  }

  @Override
  public int plainGet(URI uri) throws Exception {
    PlainConnection connection = pool.lease(uri).connection();
    connection.send("GET " + uri.getPath() + " HTTP/1.1\r\nHost: test\r\n\r\n", new byte[0], false);
    PlainConnection.Head head = connection.readHead();
    connection.readBody(head, false, Integer.MAX_VALUE);
    pool.giveBack(connection);
    return head.status();
  }

  @Override
  public boolean closeIdle() {
    pool.closeIdle();
    if (executor != null) {
      executor.shutdown();
    }
    return true;
  }

  @Override
  public void close() {
    pool.closeAll();
    if (executor != null) {
      executor.shutdown();
    }
  }
}
