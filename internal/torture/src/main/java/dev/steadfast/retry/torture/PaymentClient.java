package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.Journaling;

/**
 * A client of the payments service, over one of the two HTTP clients. Safe for use by many threads.
 */
interface PaymentClient {
  /** Calls an operation. Returns what the caller is told. */
  Told pay(Op operation) throws InterruptedException;

  /** The intent of an operation, for enlisting. */
  Journaling.Kept intent(Op operation);

  /** A sender for resumed operations of a kind. */
  Journaling.Sender sender(OperationKind kind);

  /**
   * What a caller is told.
   *
   * @param word one of {@link RetryReport.Effect}, or {@link ToldLog#NO_WORD}
   * @param note more about it, for people who look for a failure
   * @param answer the status and the body of the answer; empty for none
   * @param again whether the same call may tell more
   * @param handedBack whether the answer is a stored one
   */
  record Told(String word, String note, String answer, boolean again, boolean handedBack) {
    /** The result of a call without an answer. */
    Told(String word, String note, boolean again) {
      this(word, note, "", again, false);
    }

    Told withNote(String other) {
      return new Told(word, other, answer, again, handedBack);
    }

    static Told answer(String answer, RetryReport report) {
      return of(report, "answered", answer);
    }

    /** The result of a call whose answer broke while the caller read its body. */
    static Told brokenBody(Throwable thrown, RetryReport report) {
      return of(report, "body: " + thrown, "");
    }

    static Told failure(Throwable thrown) {
      return RetryReport.of(thrown)
          .map(report -> of(report, thrown.toString(), ""))
          .orElseGet(() -> new Told(ToldLog.NO_WORD, thrown.toString(), false));
    }

    private static Told of(RetryReport report, String what, String answer) {
      return report
          .saved()
          .map(saved ->
              new Told(
                  saved.effect().name(),
                  what + "; " + report,
                  answer,
                  saved.resumableUntil().isPresent()
                      || saved.effect() == RetryReport.Effect.NEVER_SENT
                      || report.attempts() == 0,
                  !answer.isEmpty() && report.attempts() == 0))
          .orElseGet(() -> new Told(ToldLog.NO_WORD, what + "; " + report, answer, false, false));
    }

    /** Whether the caller needs no further call. */
    boolean settles() {
      return word.equals(RetryReport.Effect.SUCCEEDED.name())
          || word.equals(RetryReport.Effect.FAILED.name())
          || word.equals(RetryReport.Effect.ACCEPTED.name());
    }
  }
}
