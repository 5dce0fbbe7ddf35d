package dev.steadfast.retry.effects;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.ResponseView;
import java.io.IOException;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an update or the use of a token ended: whether it took effect, why it ended, and the last
 * answer or exception as it came. Immutable.
 *
 * @param <T> the value that was updated, or the token
 */
public final class EffectResult<T> {
  private final End end;
  private final Effect effect;
  private final @Nullable T value;
  private final @Nullable Reply reply; // null: nothing was asked

  EffectResult(End end, Effect effect, @Nullable T value, @Nullable Reply reply) {
    this.end = end;
    this.effect = effect;
    this.value = value;
    this.reply = reply;
  }

  /** Why it ended: the closed set of reasons. */
  public enum End {
    /** The server accepted the write, or the use of the token. */
    ACCEPTED,
    /** An attempt whose answer was lost is found to have been applied. */
    ALREADY_APPLIED,
    /** An answer was lost, and what the server says now does not tell whether it was applied. */
    ANSWER_LOST,
    /** The caller's function had nothing to change. */
    UNCHANGED,
    /** The value, or the token, could not be read. */
    READ_FAILED,
    /**
     * The answer to the read has no strong {@code ETag} (RFC 9110 section 8.8.3), so nothing was
     * written.
     */
    NO_VERSION,
    /** The write, or the use of the token, failed for another reason than a conflict. */
    WRITE_FAILED,
    /** Somebody else changed the value between the read and the write, in each round. */
    CONTENDED,
    /**
     * The server refused its own version in each round: the {@code ETag} that it gives did not
     * change. A cache or a replica that lags behind may have answered the read.
     */
    VERSION_UNCHANGED,
    /** The server gives another {@code ETag} on each read, although the value is the same. */
    VERSION_UNSTABLE
  }

  /** Whether another round may end better. */
  boolean isConflict() {
    return switch (end) {
      case CONTENDED, VERSION_UNCHANGED, VERSION_UNSTABLE -> true;
      default -> false;
    };
  }

  /**
   * Whether it took effect.
   *
   * @return what is known
   */
  public Effect effect() {
    return effect;
  }

  /**
   * Why it ended.
   *
   * @return the reason
   */
  public End end() {
    return end;
  }

  /**
   * The value that was written if the server accepted it, else the one that was read last; of the
   * use of a token, the token.
   *
   * @return the value, empty if none was read
   */
  public Optional<T> value() {
    return Optional.ofNullable(value);
  }

  /**
   * The value after an update that took effect, or that had nothing to change.
   *
   * @return the value
   * @throws IOException the exception that ended the last request, unchanged; or one that tells the
   *     effect and the reason, where the server answered
   */
  public T orElseThrow() throws IOException {
    if (effect == Effect.SUCCEEDED || end == End.UNCHANGED) {
      return value().orElseThrow(NoSuchElementException::new);
    }
    Throwable failure = failure().orElse(null);
    if (failure instanceof IOException thrown) {
      throw thrown;
    }
    throw new IOException(toString(), failure);
  }

  /**
   * The head of the last answer, to the read or to the write.
   *
   * @return status and headers; empty if the last request ended without an answer
   */
  public Optional<ResponseView> answer() {
    return reply != null && reply.answered() ? Optional.of(reply) : Optional.empty();
  }

  /**
   * The body of the last answer.
   *
   * @return a copy of its bytes, none without an answer
   */
  public byte[] body() {
    return reply == null ? new byte[0] : reply.body();
  }

  /**
   * The exception that ended the last request, or the operation.
   *
   * @return the exception of the client, unchanged; empty if the server answered
   */
  public Optional<Throwable> failure() {
    return reply == null ? Optional.empty() : Optional.ofNullable(reply.failure());
  }

  /**
   * The report of the last request: its attempts, and whether an answer was lost.
   *
   * @return the report, empty if nothing was sent or the time ran out meanwhile
   */
  public Optional<RetryReport> report() {
    return reply == null ? Optional.empty() : Optional.ofNullable(reply.report());
  }

  @Override
  public String toString() {
    return effect + ", " + end + (reply == null ? "" : ", " + reply);
  }
}
