package dev.steadfast.retry.examples;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request as a server of the demo sees it.
 *
 * @param target the path
 * @param headers by name in lower case
 * @param body the form
 */
record Order(String target, Map<String, String> headers, String body) {
  private static final Pattern PAYMENT = Pattern.compile("payment=(\\d+)");

  /** Which payment it is. */
  int payment() {
    Matcher matcher = PAYMENT.matcher(body);
    if (!matcher.find()) {
      throw new IllegalArgumentException("no payment in the body: " + body);
    }
    return Integer.parseInt(matcher.group(1));
  }

  /** Which operation it belongs to; null without a key. */
  String key() {
    return headers.get("idempotency-key");
  }

  /** Which attempt of its client it is; 0 if the client does not say. */
  int attempt() {
    return Integer.parseInt(headers.getOrDefault(DemoRetry.ATTEMPT_HEADER, "0"));
  }
}
