package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import java.util.function.UnaryOperator;

/**
 * What the caller of a client gets.
 *
 * @param status 0 if it is an exception
 */
record Told(int status, String body, UnaryOperator<String> headers, RetryReport report) {

  static Told exception(Exception failure) {
    return new Told(0, "", name -> null, RetryReport.of(failure).orElseThrow());
  }

  /** Whether the request took effect, as far as the client can know. */
  Effect effect() {
    return report.effect(status);
  }

  /** The answer and the report, as the page writes them. */
  String summary() {
    String answer = status == 0 ? "none" : String.valueOf(status);
    return answer + " | `" + effect() + "`" + (report.replayed() ? ", replayed" : "");
  }
}
