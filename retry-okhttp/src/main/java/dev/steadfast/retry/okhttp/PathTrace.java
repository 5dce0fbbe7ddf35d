package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.paths.PathChoice;
import dev.steadfast.retry.paths.WirePath;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * The connection that one attempt takes, and whether it answers. A base class, so that it costs no
 * object.
 */
abstract class PathTrace extends RequestTrace {
  private volatile PathChoice.@Nullable Step other; // null: it takes the usual connection
  private volatile boolean sendingBody;
  // Belongs to the latest request, written before it is counted as sent.
  private @Nullable WirePath path; // null: the client does not keep it after a timeout
  private int life; // of the path

  PathTrace(HttpOperation operation, ClientInterceptors interceptors) {
    super(operation, interceptors);
  }

  /** The pool for attempts that leave a silent connection, null if none does. */
  abstract @Nullable SecondPool otherPool();

  /** The attempt takes another connection than the usual one, unless the step is null. */
  void takeOther(PathChoice.@Nullable Step step) {
    other = step;
  }

  boolean takesOther() {
    return other != null;
  }

  /** Waits for the attempt that opens the other connection. */
  void awaitTurn(Call call) {
    SecondPool pool = otherPool();
    if (pool != null && other == PathChoice.Step.AWAIT) {
      pool.awaitOpened(operation(), call);
    }
  }

  /**
   * The next request goes out on a connection.
   *
   * @param connection null if the client does not keep it after a timeout
   */
  void goesOver(@Nullable WirePath connection) {
    SecondPool pool = otherPool();
    path = pool == null ? null : connection;
    if (pool != null && connection != null) {
      life = connection.life();
      if (takesOther()) {
        pool.opened(operation().info());
      }
    }
  }

  void sendsBody(boolean now) {
    sendingBody = now;
  }

  /** The latest request was answered. */
  void alive() {
    SecondPool pool = otherPool();
    WirePath answering = path;
    if (pool != null && answering != null) {
      pool.alive(operation().info(), answering, takesOther());
    }
  }

  /**
   * The attempt has failed.
   *
   * @param lost where the attempt before it was silent, null for none
   * @return where it was silent, so that the next one goes another way; null for none
   */
  @Nullable WirePath failed(FailureKind kind, @Nullable WirePath lost) {
    SecondPool pool = otherPool();
    if (pool == null) {
      return null;
    }
    WirePath taken = path;
    if (kind == FailureKind.TIMEOUT && taken != null && isUnanswered()) {
      return pool.silent(operation().info(), taken, life, takesOther()) ? taken : null;
    }
    if (!takesOther() || log.deliveries() > 0) {
      return null;
    }
    if (kind == FailureKind.TIMEOUT && other != PathChoice.Step.AWAIT) {
      pool.silentWhileConnecting(operation().info());
      return null;
    }
    pool.notMade(operation().info(), kind == FailureKind.TLS);
    return lost; // the usual connection is as suspect as it was
  }

  /** Whether the latest request was sent whole, and not answered. */
  private boolean isUnanswered() {
    return log.deliveries() > 0 && log.disposition() == Disposition.UNKNOWN && !sendingBody;
  }

  /** The outcome of an answer. One that came over another connection may refuse that one only. */
  Outcome judged(ResponseView answer, Evidence evidence) {
    SecondPool pool = otherPool();
    if (pool == null || !takesOther() || !AnswerProof.refusesProtocol(answer.status())) {
      return operation().outcome(answer, evidence);
    }
    pool.notMade(operation().info(), true);
    return operation().outcome(TransportFailure.of(FailureKind.ERROR_STATUS), evidence);
  }

  /** A TLS failure on another connection is not final: the usual one has passed its handshake. */
  TransportFailure onPath(TransportFailure failure) {
    return takesOther() && failure.kind() == FailureKind.TLS
        ? TransportFailure.of(FailureKind.TLS)
        : failure;
  }
}
