package dev.steadfast.retry.http;

/** Headers by which SDKs count their own retries. */
final class SdkRetries {
  private static final String STAINLESS = "x-stainless-retry-count"; // OpenAI's and other SDKs
  private static final String AWS = "amz-sdk-request"; // such as attempt=1; max=3

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
    for (String pair : pairs.split(";")) {
      String[] parts = pair.trim().split("=", 2);
      if (parts[0].equals("attempt") && parts.length == 2 && !parts[1].trim().equals("1")) {
        return true;
      }
    }
    return false;
  }
}
