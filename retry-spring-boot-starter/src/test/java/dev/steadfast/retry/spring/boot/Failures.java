package dev.steadfast.retry.spring.boot;

import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Keeps what Boot tells of a start that failed. */
final class Failures implements FailureAnalysisReporter {
  private static final AtomicReference<FailureAnalysis> LAST = new AtomicReference<>();

  static FailureAnalysis take() {
    return LAST.getAndSet(null);
  }

  @Override
  public void report(FailureAnalysis analysis) {
    LAST.set(analysis);
  }
}
