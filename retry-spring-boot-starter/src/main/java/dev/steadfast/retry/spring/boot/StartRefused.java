package dev.steadfast.retry.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The application cannot start, for a reason that is not the value of one property. */
final class StartRefused extends IllegalStateException {
  private static final long serialVersionUID = 1;

  private final String action;

  /**
   * Ends the start.
   *
   * @param reason why, as a sentence without its point
   * @param action what to do, as a sentence
   */
  StartRefused(String reason, String action) {
    this(reason, action, null);
  }

  StartRefused(String reason, String action, @Nullable Throwable cause) {
    super(reason, cause);
    this.action = action;
  }

  /** Tells what to do. */
  static final class Analyzer extends AbstractFailureAnalyzer<StartRefused> {
    @Override
    protected FailureAnalysis analyze(Throwable root, StartRefused cause) {
      return new FailureAnalysis(cause.getMessage() + ".", cause.action, cause);
    }
  }
}
