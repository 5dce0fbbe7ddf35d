package dev.steadfast.retry.http;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.internal.Checks;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Journaled operations ({@link RetryOptions.Builder#journaled}) as clients, adapters and users know
 * them: they are remembered, so that the same one is not begun twice. The module {@code
 * retry-operations} carries them out.
 */
public final class Journaling {
  // Why it is like this: docs/decisions/journaled-operations.md

  private Journaling() {}

  /**
   * The place where operations are kept. Users make one with {@code OperationJournal}, or a
   * database.
   */
  public interface Journal {}

  /**
   * The key of an operation as it goes over the wire.
   *
   * @param header the header that carries it
   * @param line what stands there, the same in each request of the operation
   */
  public record Key(String header, String line) {
    /** The header alone: a key may be a secret. */
    @Override
    public String toString() {
      return header;
    }
  }

  /** An operation as a journal has it. Implemented by the journal. Immutable. */
  public interface Kept {
    /**
     * {@return the request as it is kept: method, target and body, which is empty if it is not
     * kept}
     */
    RequestView request();

    /**
     * {@return the bytes of the request's body}
     *
     * @throws IllegalArgumentException if they are not kept
     */
    default byte[] body() {
      return request()
          .body(Integer.MAX_VALUE)
          .orElseThrow(
              () -> Checks.bad("journaled operation", this, "one whose request body is kept"));
    }

    /** {@return the headers of the request that are kept, lines by name} */
    Map<String, List<String>> headers();

    /** {@return the key on the wire, null for none} */
    @Nullable Key sentKey();

    /**
     * {@return the caller's word on whether it may be repeated, {@link Replayable#BY_REQUEST} if
     * its key tells}
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
  public interface Sender {
    /**
     * Sends an operation that another call or process began, and notes what comes of it. The
     * server's answer is noted and not returned.
     *
     * @param journal the journal that has the operation
     * @param due the operation
     * @throws IOException the failure of the last attempt, or the journal's reason to send nothing
     * @throws InterruptedException if the thread was interrupted
     */
    void send(Journal journal, Kept due) throws IOException, InterruptedException;
  }

  /**
   * Turns a client's answers into what a journal keeps, and back. An adapter without it sends no
   * journaled operations.
   *
   * @param <R> the response as the loop sees it
   */
  public interface Codec<R> {
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
     * Tells what the answer leaves open about requests that the client sent before it. If the
     * client follows a redirect, the answer belongs to another request than the first.
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
   * The effect of earlier requests, as far as the last answer of an attempt leaves it open.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  public enum EarlierRequest {
    /** No earlier request may have had an effect. */
    NONE,
    /**
     * It may have had an effect. A success of the last one is its success too; a failure is not.
     */
    MAY_HAVE_ACTED,
    /**
     * It may have had an effect, and became a GET by a 301 or 302, as to a page for signing in.
     * Neither success nor failure of that GET tells of it.
     */
    UNANSWERED;

    /**
     * Tells what a request leaves open if its answer was followed by another request.
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
     * Joins what two requests leave open.
     *
     * @param other what another request leaves open
     * @return the later of the two constants
     */
    public EarlierRequest and(EarlierRequest other) {
      return compareTo(other) < 0 ? other : this;
    }
  }
}
