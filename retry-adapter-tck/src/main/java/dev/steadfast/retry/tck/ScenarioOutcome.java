package dev.steadfast.retry.tck;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.operations.OperationJournal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The outcome that the caller of a call got. */
public sealed interface ScenarioOutcome {

  /**
   * A response, read to its end.
   *
   * @param status the status
   * @param body the body as UTF-8
   * @param headers all header fields
   * @param report the report that rides on the response
   */
  record Answer(int status, String body, Map<String, List<String>> headers, RetryReport report)
      implements ScenarioOutcome {
    @Override
    public String toString() {
      return (status + " " + body).trim();
    }

    boolean has(String name, String value) {
      return headers.entrySet().stream()
          .anyMatch(
              line -> line.getKey().equalsIgnoreCase(name) && line.getValue().contains(value));
    }
  }

  /**
   * An exception.
   *
   * @param category what kind of exception
   * @param thrown the exception itself, without the wrapper of an asynchronous client
   */
  record Failure(Category category, Throwable thrown) implements ScenarioOutcome {
    @Override
    public String toString() {
      return category.toString();
    }
  }

  /** The kinds of exceptions, as a caller tells them apart. */
  enum Category {
    /** The attempt or the operation ran out of time. */
    TIMEOUT,
    /** The caller cancelled. */
    CANCELLED,
    /** The calling thread was interrupted. */
    INTERRUPTED,
    /** No connection was made. */
    CONNECT,
    /** The connection broke before the response head. */
    CONNECTION_LOST,
    /** The answer was not HTTP, or not complete; the call itself throws. */
    BROKEN_ANSWER,
    /** The head was fine, and the body broke while the caller read it. */
    BROKEN_READING,
    /** {@code AttemptRefusedException}. */
    REFUSED_BY_GUARD,
    /** {@code OperationJournal.RefusedException}. */
    REFUSED_BY_JOURNAL,
    /** The scheduler takes no more work. */
    REJECTED,
    /** An {@link IllegalArgumentException}. */
    ILLEGAL_ARGUMENT,
    /** A {@link UserCodeException}. */
    USER;

    /**
     * The kind of an exception that this library, or the code of a row, throws on every client.
     *
     * @param thrown the exception that the caller got
     * @return empty for an exception that the client makes
     */
    public static Optional<Category> ofEveryClient(Throwable thrown) {
      if (thrown instanceof UserCodeException) {
        return Optional.of(USER);
      }
      if (thrown instanceof IllegalArgumentException) {
        return Optional.of(ILLEGAL_ARGUMENT);
      }
      if (thrown instanceof AttemptRefusedException) {
        return Optional.of(REFUSED_BY_GUARD);
      }
      return thrown instanceof OperationJournal.RefusedException
          ? Optional.of(REFUSED_BY_JOURNAL)
          : Optional.empty();
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** The exception that functions of the user's throw in scenarios. */
  final class UserCodeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception with a fixed message. */
    public UserCodeException() {
      super("thrown by user code");
    }
  }
}
