package dev.steadfast.retry.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Headers by which SDKs count their own retries. */
final class SdkRetries {
  private static final String STAINLESS = "x-stainless-retry-count"; // OpenAI's and other SDKs
  private static final String AWS = "amz-sdk-request"; // such as attempt=1; max=3
  private static final Pattern ATTEMPT = Pattern.compile("(?:^|;)\\s*attempt=\\s*(\\d+)");

  private SdkRetries() {}

  /** Says whether a request of a caller has such a count, and is not the first try. */
  static boolean isRetry(RequestView request) {
    for (String count : request.headers(STAINLESS)) {
      if (!count.trim().equals("0")) {
        return true;
      }
    }
    for (String pairs : request.headers(AWS)) {
      if (isLaterAttempt(pairs)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLaterAttempt(String pairs) {
    Matcher attempt = ATTEMPT.matcher(pairs);
    return attempt.find() && !attempt.group(1).equals("1");
  }
}
