package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.paths.WirePath;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connections that the attempts of one operation take, and whether they answer. A base class,
 * so that it costs no object.
 */
abstract class PathTransport implements Function<HttpResponse.ResponseInfo, @Nullable WirePath> {
  private final HttpOperation operation;
  private final @Nullable SecondClient other; // null: all attempts take the usual connections

  // Belongs to the current attempt.
  private volatile SecondClient.@Nullable Chosen chosen; // null: it takes the usual connections
  private volatile int life; // of its connections, when it began
  private volatile @Nullable WirePath lost; // where the attempt before was silent

  PathTransport(HttpOperation operation, @Nullable SecondClient other) {
    this.operation = operation;
    this.other = other;
  }

  /** Chooses the connections that an attempt takes. */
  final void chooseWay(Attempt<?> attempt, AttemptBodyHandler<?> delivery) {
    if (other != null) {
      delivery.tellsOfHeads(this);
      SecondClient.Chosen choice = other.choose(operation, attempt, lost);
      chosen = choice;
      life = other.path(operation.info(), choice != null).life();
    }
  }

  /** The client that has the chosen connections. */
  final HttpClient taken(HttpClient usual) {
    SecondClient.Chosen choice = chosen;
    return choice == null ? usual : choice.client();
  }

  /** Whether the attempt waits for another one that opens the other connection. */
  final boolean waitsForTurn() {
    SecondClient.Chosen choice = chosen;
    return choice != null && choice.waits();
  }

  /** Sends when another attempt has opened the other connection. */
  final void inTurn(Attempt<?> attempt, boolean blocking, Runnable send) {
    if (other == null) {
      send.run();
    } else if (blocking) {
      other.awaitOpened(operation, attempt, send);
    } else {
      other.whenOpened(operation, attempt, send);
    }
  }

  /**
   * The head of an answer to the current attempt has come.
   *
   * @return the connections over which it came, null if they carry one request at a time
   */
  @Override
  public final @Nullable WirePath apply(HttpResponse.ResponseInfo head) {
    return other == null ? null : other.headCame(operation.info(), head, chosen != null);
  }

  /**
   * The meaning of the failure of the current attempt, which may say something of its connections.
   *
   * @param thrown the failure itself
   * @param delivery the body handler of the attempt, null if it has none
   */
  final TransportFailure onPath(
      TransportFailure failure, Throwable thrown, @Nullable AttemptBodyHandler<?> delivery) {
    if (other == null || delivery == null || delivery.answered()) {
      return failure;
    }
    if (waitsForTurn() && thrown instanceof HttpTimeoutException && delivery.notTaken()) {
      return TransportFailure.of(FailureKind.TIMEOUT); // while it waited for another attempt
    }
    SecondClient.Chosen choice = chosen;
    boolean connecting = choice != null && thrown instanceof HttpConnectTimeoutException;
    if (connecting || (failure.kind() == FailureKind.TIMEOUT && delivery.sent())) {
      lost = other.silent(operation.info(), life, choice != null);
      return failure;
    }
    return choice == null ? failure : other.failed(operation.info(), failure);
  }

  /**
   * The outcome of an answer to the current attempt. An answer to the second client may refuse its
   * connection only.
   *
   * @param delivery the body handler of the attempt, null if it has none
   */
  final Outcome judged(
      JdkAnswer<?> answer, Evidence evidence, @Nullable AttemptBodyHandler<?> delivery) {
    if (other == null || chosen == null || !AnswerProof.refusesProtocol(answer.status())) {
      Outcome outcome = operation.outcome(answer, evidence);
      if (delivery != null) {
        delivery.answer().means(outcome.verdict());
      }
      return outcome;
    }
    other.refused(operation.info(), true);
    return operation.outcome(TransportFailure.of(FailureKind.ERROR_STATUS), evidence);
  }

  /** The operation times out in the current attempt, whose silence counts for later operations. */
  final void operationTimedOut(TimeUp limit, @Nullable AttemptBodyHandler<?> delivery) {
    boolean silent = other != null && delivery != null && !delivery.answered() && delivery.sent();
    if (other != null && silent && limit.limit() == TimeLimit.TOTAL_TIMEOUT) {
      lost = other.silent(operation.info(), life, chosen != null);
    }
  }
}
