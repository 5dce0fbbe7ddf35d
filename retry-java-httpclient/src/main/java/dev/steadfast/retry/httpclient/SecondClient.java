package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.paths.DeadPaths;
import dev.steadfast.retry.paths.PathChoice;
import dev.steadfast.retry.paths.WirePath;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A second client like the wrapped one, whose connections attempts take where the usual connection
 * is silent. It is made when that first happens. The JDK does not show which connection a request
 * takes, so all HTTP/2 connections of a client to an origin count as one. Safe for use by many
 * threads.
 */
final class SecondClient {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final long LOOK_AGAIN_NANOS = 2_000_000;

  /** A second client that no attempt has chosen for that long is let go, with its threads. */
  static final long KEEP_NANOS = 60_000_000_000L;

  private final HttpClient usual;
  private final DeadPaths paths;
  private final Consumer<HttpClient.Builder> unreadable;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Made made; // guarded by the lock
  private boolean ended; // guarded by the lock

  /** A second client, and when an attempt has last chosen it. */
  private static final class Made {
    final HttpClient client;
    long chosenNanos; // guarded by the lock

    Made(HttpClient client) {
      this.client = client;
    }
  }

  /**
   * The other client of one client.
   *
   * @param unreadable sets the properties for which a client has no getter
   */
  SecondClient(HttpClient usual, DeadPaths paths, Consumer<HttpClient.Builder> unreadable) {
    this.usual = usual;
    this.paths = paths;
    this.unreadable = unreadable;
  }

  private HttpClient copy() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(usual.version())
            .followRedirects(usual.followRedirects())
            .sslContext(usual.sslContext())
            .sslParameters(usual.sslParameters());
    usual.connectTimeout().ifPresent(builder::connectTimeout);
    usual.cookieHandler().ifPresent(builder::cookieHandler);
    usual.proxy().ifPresent(builder::proxy);
    usual.authenticator().ifPresent(builder::authenticator);
    usual.executor().ifPresent(builder::executor);
    unreadable.accept(builder);
    return builder.build();
  }

  /**
   * Chooses the client for an attempt.
   *
   * @param lost where the attempt before it was silent, null for none
   * @return the second client, null for the usual one
   */
  @Nullable Chosen choose(HttpOperation operation, Attempt<?> attempt, @Nullable WirePath lost) {
    boolean safe = operation.safety() != Safety.UNSAFE;
    PathChoice choice = paths.choose(operation.info(), safe, lost);
    if (choice == null) {
      return null;
    }
    HttpClient client = client(operation.plan(), choice.step() == PathChoice.Step.OPEN);
    if (client == null) {
      paths.otherFailed(operation.info(), false);
      return null;
    }
    attempt.takes(choice.why());
    return new Chosen(client, choice.step() == PathChoice.Step.AWAIT);
  }

  /**
   * The decision that an attempt takes the second client.
   *
   * @param client the second client
   * @param waits whether the attempt waits until another one was answered there: the JDK does not
   *     show earlier that a connection is there
   */
  record Chosen(HttpClient client, boolean waits) {}

  /** Sends, on the calling thread, when another attempt was answered there, or a second later. */
  void awaitOpened(HttpOperation operation, Attempt<?> attempt, Runnable send) {
    long since = now(operation);
    while (!attempt.stopped()
        && !Thread.currentThread().isInterrupted()
        && paths.opening(operation.info(), since)) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
    send.run();
  }

  /** The same as {@link #awaitOpened}, without holding a thread. */
  void whenOpened(HttpOperation operation, Attempt<?> attempt, Runnable send) {
    lookAgain(operation, attempt, now(operation), send);
  }

  private void lookAgain(HttpOperation operation, Attempt<?> attempt, long since, Runnable send) {
    if (!attempt.stopped() && paths.opening(operation.info(), since)) {
      operation
          .plan()
          .timers()
          .schedule(LOOK_AGAIN_NANOS, () -> lookAgain(operation, attempt, since, send));
      return;
    }
    Runnable leave = attempt.enter();
    try {
      send.run();
    } catch (Throwable thrown) {
      attempt.complete(null, thrown);
    } finally {
      leave.run();
    }
  }

  private static long now(HttpOperation operation) {
    return operation.plan().environment().ticker().getAsLong();
  }

  /** The second client; null where there is none any more, or none can be made now. */
  private @Nullable HttpClient client(RetryPlan plan, boolean fresh) {
    Made chosen;
    boolean isNew = false;
    lock.lock();
    try {
      if (ended) {
        return null;
      }
      if (made == null || fresh) {
        try {
          made = new Made(copy());
          isNew = true;
        } catch (RuntimeException | Error cannot) { // the JDK says so by either
          LOG.warn("no second client can be made: attempts stay with the first", cannot);
          return null;
        }
      }
      chosen = made;
      chosen.chosenNanos = plan.environment().ticker().getAsLong();
    } finally {
      lock.unlock();
    }
    if (isNew) {
      letGoLater(plan, chosen, KEEP_NANOS);
    }
    return chosen.client;
  }

  private void letGoLater(RetryPlan plan, Made old, long nanos) {
    try {
      plan.timers().schedule(nanos, () -> letGoIfIdle(plan, old));
    } catch (RejectedExecutionException noThread) {
      LOG.debug("a second client is kept", noThread);
    }
  }

  // A client that was replaced is kept for a while, too: an attempt may just have chosen it.
  private void letGoIfIdle(RetryPlan plan, Made old) {
    long left;
    lock.lock();
    try {
      left = old.chosenNanos + KEEP_NANOS - plan.environment().ticker().getAsLong();
      if (left <= 0 && made == old) {
        made = null; // before Java 21 this alone frees it
      }
    } finally {
      lock.unlock();
    }
    if (left > 0) {
      letGoLater(plan, old, left);
    } else {
      NewerMethods.shutdown(old.client); // requests under way go on
    }
  }

  /** The connections that an attempt takes. */
  WirePath path(OperationInfo info, boolean other) {
    return other ? paths.other(info.origin()) : paths.usual(info.origin());
  }

  /**
   * The head of an answer has come.
   *
   * @return the connections that it came over, null if they carry one request at a time
   */
  @Nullable WirePath headCame(OperationInfo info, HttpResponse.ResponseInfo head, boolean other) {
    WirePath path = path(info, other);
    boolean http2 = head.version() == HttpClient.Version.HTTP_2;
    path.multiplexes(http2);
    if (http2 || other) {
      paths.alive(info, path, other);
    }
    return http2 ? path : null;
  }

  /** An attempt was sent whole or was connecting, has timed out, and no head has come. */
  @Nullable WirePath silent(OperationInfo info, int life, boolean other) {
    WirePath path = path(info, other);
    boolean counts = other || path.multiplexes();
    return counts && paths.silent(info, path, life, other) ? path : null;
  }

  /**
   * An attempt by this client has failed without an answer.
   *
   * @return the meaning of the failure: one of TLS is not final, as the usual connection has passed
   *     its handshake
   */
  TransportFailure failed(OperationInfo info, TransportFailure failure) {
    boolean tls = failure.kind() == FailureKind.TLS;
    refused(info, tls);
    return tls ? TransportFailure.of(FailureKind.TLS) : failure;
  }

  /** The second client does not get through, and never will if {@code never} is true. */
  void refused(OperationInfo info, boolean never) {
    paths.otherFailed(info, never);
  }

  /** Takes no more attempts. */
  void shutdown() {
    lock.lock();
    try {
      ended = true;
      if (made != null) {
        NewerMethods.shutdown(made.client);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more attempts, and ends those under way. */
  void shutdownNow() {
    lock.lock();
    try {
      ended = true;
      if (made != null) {
        NewerMethods.shutdownNow(made.client);
      }
    } finally {
      lock.unlock();
    }
  }
}
