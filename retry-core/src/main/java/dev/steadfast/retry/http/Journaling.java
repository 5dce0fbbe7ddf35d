package dev.steadfast.retry.http;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.RetryTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries out journaled operations ({@link RetryOptions.Builder#journaled}): it remembers them, so
 * that the same operation is not begun twice. The module {@code retry-operations} does it, and is
 * found by {@link java.util.ServiceLoader}.
 *
 * <p>This interface is all that clients and adapters know of it. More methods may follow.
 */
public interface Journaling {
  // Why it is like this: docs/decisions/journaled-operations.md

  /**
   * The place where operations are kept. Users make one with {@code OperationJournal}, or a
   * database.
   */
  interface Journal {}

  /** {@return a journal that guards this process alone, for a client that was given none} */
  Journal inProcess();

  /**
   * Begins an operation. Nothing is claimed or sent yet.
   *
   * @param journal where it is kept
   * @param call what is to be sent
   * @return the operation
   * @throws IllegalArgumentException if it cannot be kept
   */
  Journaled operation(Journal journal, Call call);

  /**
   * The key of an operation as it goes over the wire.
   *
   * @param header the header that carries it
   * @param line what stands there, the same in each request of the operation
   */
  record Key(String header, String line) {
    /** The header alone: a key may be a secret. */
    @Override
    public String toString() {
      return header;
    }
  }

  /**
   * The names that the options of an operation give for the journal.
   *
   * @param name what is done
   * @param principal for whom; empty for nobody in particular
   * @param key the business key
   * @param fingerprint tells two requests apart in place of the body; null for the body
   * @param waits whether to wait where somebody else works on it
   * @param resumed the operation, if another call or process began it; null otherwise
   */
  record Naming(
      String name,
      String principal,
      String key,
      @Nullable String fingerprint,
      boolean waits,
      @Nullable Resumed resumed) {
    /** The name alone: the key may be a secret. */
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * An operation that another call or process began.
   *
   * @param journal the journal that has it
   * @param due the operation
   */
  record Resumed(Journal journal, Kept due) {}

  /**
   * The key that goes over the wire.
   *
   * @param request the request as the caller wrote it
   * @param addedHeaders the headers that the operation adds to each attempt, the key's among them
   * @param key the key; null for none
   * @param keyRetention how long the server keeps keys
   * @param safety why the request may be sent again
   */
  record Sent(
      RequestView request,
      Map<String, String> addedHeaders,
      @Nullable Key key,
      Duration keyRetention,
      Evidence.Safety safety) {}

  /**
   * A call that is to be journaled. The core alone makes one.
   *
   * @param naming what its options say of the journal
   * @param sent what goes over the wire
   * @param plan what applies to the attempts
   * @param info what identifies the operation
   * @param boundNanos the bound that the caller gave, {@link Long#MAX_VALUE} for none
   */
  record Call(Naming naming, Sent sent, RetryPlan plan, OperationInfo info, long boundNanos) {}

  /** A journaled operation of a client. */
  interface Journaled {
    /** {@return the part of the operation that the journal keeps} */
    Kept intent();

    /**
     * The loop that carries it out.
     *
     * @param with what applies to the attempts
     * @param transport how attempts are made
     * @param codec turns answers into what is kept
     * @param <R> the response
     * @return a new loop
     */
    <R> RetryLoop<R> loop(RetryPlan with, RetryTransport<R> transport, Codec<R> codec);

    /** {@return the longest body of an answer that is kept, in bytes} */
    int mostAnswerBytes();
  }

  /** An operation as a journal has it. Implemented by the journal. Immutable. */
  interface Kept {
    /**
     * {@return the request as it is kept: method, target and body, which is empty if it is not
     * kept}
     */
    RequestView request();

    /** {@return the headers of the request that are kept, lines by name} */
    Map<String, List<String>> headers();

    /** {@return the key on the wire, null for none} */
    @Nullable Key sentKey();

    /**
     * {@return the word on whether it may be repeated, {@link Replayable#BY_REQUEST} if its key
     * tells}
     */
    Replayable replayable();

    /**
     * {@return the journal of the client that made it, which alone may keep it; null, the default,
     * if any journal may}
     */
    default @Nullable Journal owner() {
      return null;
    }

    /** {@return the operation as its journal writes it; by default this object} */
    default Kept withoutOwner() {
      return this;
    }
  }

  /** Sends operations that are due: a client, as its adapter gives it. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends an operation that another call or process began, and notes what comes of it. What the
     * server answers is noted and not returned.
     *
     * @param journal the journal that has the operation
     * @param due the operation
     * @throws IOException the failure of the last attempt, or the reason of the journal why nothing
     *     was sent
     * @throws InterruptedException if the thread was interrupted
     */
    void send(Journal journal, Kept due) throws IOException, InterruptedException;
  }

  /**
   * Turns a client's answers into what a journal keeps, and back. For authors of adapters; without
   * it an adapter sends no journaled operations.
   *
   * @param <R> the response as the loop sees it
   */
  interface Codec<R> {
    /**
     * The status and headers of an answer.
     *
     * @param response the answer that the caller will get
     * @return what is kept beside the body
     */
    ResponseView head(R response);

    /**
     * The body of an answer.
     *
     * @param response the answer that the caller will get
     * @return its bytes, null if they are more than is kept or are read by the caller
     */
    byte @Nullable [] body(R response);

    /**
     * The open question about requests that the client sent before the one that was answered. If
     * the client follows a redirect, the answer belongs to another request than the first.
     *
     * @param response the answer that the caller will get
     * @return the last constant that holds for any redirect of this attempt
     */
    EarlierRequest earlierRequest(R response);

    /**
     * Makes an answer of what was kept.
     *
     * @param head what {@link #head} gave
     * @param body what {@link #body} gave
     * @param report the report to put on it
     * @return the answer for the caller
     * @throws IOException if it cannot be made, because the caller's code refuses it
     */
    R restore(ResponseView head, byte[] body, RetryReport report) throws IOException;
  }

  /**
   * The open question that an earlier request of an operation leaves open about its last answer.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  enum EarlierRequest {
    /** There was none that may have had an effect. */
    NONE,
    /** It may have had an effect. A success of the last request is its own; a failure is not. */
    MAY_HAVE_ACTED,
    /**
     * It may have had an effect, and became a GET by a 301 or 302, as to a page for signing in.
     * Neither success nor failure of that GET tells of it.
     */
    UNANSWERED;

    /**
     * The open question of a request whose answer was followed by another request.
     *
     * @param status the status of its answer
     * @param method its method
     * @param next the method of the request that followed
     * @return none, unless the request {@linkplain AnswerProof#mayHaveHadEffect may have had an
     *     effect}
     */
    public static EarlierRequest before(int status, String method, String next) {
      if (!AnswerProof.mayHaveHadEffect(method, status)) {
        return NONE;
      }
      boolean another = !method.equals(next);
      return another && AnswerProof.of(status) == AnswerProof.REDIRECTED
          ? UNANSWERED
          : MAY_HAVE_ACTED;
    }

    /**
     * The open question of two requests together.
     *
     * @param other what another request leaves open
     * @return the later of the two constants
     */
    public EarlierRequest and(EarlierRequest other) {
      return compareTo(other) < 0 ? other : this;
    }
  }
}
