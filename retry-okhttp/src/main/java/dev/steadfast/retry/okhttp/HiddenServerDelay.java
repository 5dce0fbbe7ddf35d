package dev.steadfast.retry.okhttp;

import java.util.List;
import java.util.regex.Pattern;
import okhttp3.Headers;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Keeps OkHttp from sending a request again by itself: it repeats a 503 that says {@code
 * Retry-After: 0} and a 408 without delay, and crashes on a delay of eleven digits. OkHttp reads
 * the last line of that name, so one is added. Other answers pass as they are.
 *
 * @param sent the headers of the answer as the server sent them
 * @param seen the headers as OkHttp saw them: with one line more
 */
record HiddenServerDelay(Headers sent, Headers seen) {
  private static final String RETRY_AFTER = "Retry-After";
  private static final Pattern SECONDS = Pattern.compile("[1-9][0-9]{0,8}");

  // Removing a line moves all lines after it, so no line is removed if there are many. Then the
  // added one stays, on an answer that is malformed anyway.
  private static final int MOST_LINES = 16;

  /**
   * The answer as OkHttp may see it. The headers that the server sent go along as a tag of its
   * request, because facts kept per call may not outlast an interceptor that proceeds twice.
   */
  static Response hidden(Response response) {
    int code = response.code();
    if (code != 503 && code != 408) {
      return response;
    }
    String delay = response.header(RETRY_AFTER);
    if (delay == null ? code == 503 : isNoReasonToFollowUp(delay)) {
      return response;
    }
    Headers sent = response.headers();
    Headers seen = sent.newBuilder().add(RETRY_AFTER, "1").build();
    HiddenServerDelay made = new HiddenServerDelay(sent, seen);
    Request tagged = response.request().newBuilder().tag(HiddenServerDelay.class, made).build();
    return response.newBuilder().request(tagged).headers(seen).build();
  }

  // Positive seconds that fit an int, or a value that OkHttp does not take for a number.
  private static boolean isNoReasonToFollowUp(String delay) {
    boolean number = delay.chars().allMatch(Character::isDigit);
    return !number || SECONDS.matcher(delay).matches();
  }

  /** The answer as the server sent it. */
  static Response reveal(Response response) {
    Response network = response.networkResponse();
    if (network == null || (response.code() != 503 && response.code() != 408)) {
      return response;
    }
    HiddenServerDelay hidden = network.request().tag(HiddenServerDelay.class);
    if (hidden == null) {
      return response;
    }
    Request untagged = network.request().newBuilder().tag(HiddenServerDelay.class, null).build();
    Response revealed =
        network.newBuilder().headers(hidden.revealed(network.headers())).request(untagged).build();
    return response
        .newBuilder()
        .headers(hidden.revealed(response.headers()))
        .networkResponse(revealed)
        .build();
  }

  private Headers revealed(Headers returned) {
    if (returned.equals(seen)) {
      return sent;
    }
    // OkHttp decompressed the body and dropped its encoding and length, or an interceptor did.
    List<String> values = sent.values(RETRY_AFTER);
    if (values.size() > MOST_LINES) {
      return returned;
    }
    Headers.Builder headers = returned.newBuilder().removeAll(RETRY_AFTER);
    // The method that OkHttp uses for a server's lines; others throw if a value is not ASCII.
    values.forEach(value -> headers.addUnsafeNonAscii(RETRY_AFTER, value));
    return headers.build();
  }
}
