package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.paths.DeadPaths;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The client that sends, and the operations that it is used for. An orderly end lets them finish:
 * the client itself, which knows nothing of their waits, is shut down after the last one.
 * Thread-safe.
 */
final class WrappedClient {
  private static final LongSupplier REAL_TIME = RetryEnvironment.system().ticker();

  private final HttpClient client;
  private final Set<RetryLoop<?>> running = ConcurrentHashMap.newKeySet();
  private final CountDownLatch allOver = new CountDownLatch(1);
  private volatile boolean shut; // no operation may begin
  private volatile boolean stopped; // nor go on
  private final @Nullable SecondClient other; // null: attempts stay with the client

  WrappedClient(HttpClient client, HttpRetry retry, Consumer<HttpClient.Builder> unreadable) {
    this.client = client;
    this.other =
        retry.leavesDeadConnections() && isJdks()
            ? new SecondClient(client, new DeadPaths(retry.plan()), unreadable)
            : null;
  }

  /** The client for attempts that leave a silent connection, null if none does. */
  @Nullable SecondClient other() {
    return other;
  }

  HttpClient client() {
    return client;
  }

  /** Whether it is the JDK's own, and no client of the user's making. */
  boolean isJdks() {
    return client.getClass().getModule().equals(HttpClient.class.getModule());
  }

  /**
   * An operation begins.
   *
   * @throws IOException if the client is shut; as the JDK says it
   */
  void begin(RetryLoop<?> operation) throws IOException {
    running.add(operation);
    if (shut) {
      over(operation);
      throw new IOException("closed");
    }
  }

  /** An operation is over; may be called more than once. */
  void over(RetryLoop<?> operation) {
    running.remove(operation);
    if (shut) {
      endIfIdle();
    }
  }

  private void endIfIdle() {
    if (running.isEmpty()) {
      NewerMethods.shutdown(client);
      if (other != null) {
        other.shutdown();
      }
      allOver.countDown();
    }
  }

  void shutdown() {
    shut = true;
    endIfIdle();
  }

  void shutdownNow() {
    shut = true;
    stopped = true;
    running.forEach(RetryLoop::cancel);
    NewerMethods.shutdownNow(client);
    if (other != null) {
      other.shutdownNow();
    }
    endIfIdle();
  }

  /** The exception of an operation that ended without an answer, as the client would throw it. */
  Throwable failure(RetryTransport.End end, @Nullable Throwable cause) {
    return switch (end) {
      case ATTEMPT_TIMEOUT, DEADLINE -> new HttpTimeoutException("request timed out");
      case CANCELLED ->
          stopped ? new IOException("shutdownNow") : new CancellationException("Request cancelled");
      case INTERRUPTED -> new InterruptedException();
      case REJECTED -> new IOException("no timer takes the next attempt", cause);
    };
  }

  boolean awaitTermination(Duration duration) throws InterruptedException {
    long begin = REAL_TIME.getAsLong();
    if (!allOver.await(TimeUnit.NANOSECONDS.convert(duration), TimeUnit.NANOSECONDS)) {
      return false;
    }
    Duration spent = Duration.ofNanos(REAL_TIME.getAsLong() - begin);
    Duration left = duration.minus(spent);
    return NewerMethods.awaitTermination(client, left.isNegative() ? Duration.ZERO : left);
  }

  boolean isTerminated() {
    return allOver.getCount() == 0 && NewerMethods.isTerminated(client);
  }

  /** Waits for the operations, and for the client. An interrupt ends them at once. */
  void close() {
    shutdown();
    boolean interrupted = false;
    while (allOver.getCount() > 0) {
      try {
        allOver.await();
      } catch (InterruptedException interrupt) {
        interrupted = true;
        shutdownNow();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt(); // the client sees it in its turn
    }
    NewerMethods.close(client);
  }

  @Override
  public String toString() {
    return client.toString();
  }
}
