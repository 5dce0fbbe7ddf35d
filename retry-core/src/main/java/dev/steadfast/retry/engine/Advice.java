package dev.steadfast.retry.engine;

/**
 * A warning about something that users are likely to have overlooked. Authors of adapters give it
 * to {@link RetryPlan#advise}.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum Advice {
  /** A request was not sent again only because its body cannot be repeated. */
  ONE_SHOT_BODY(
      "it failed and is never retried, because its body can be read only once. Likely cause: a"
          + " stream as request body (BodyPublishers.ofInputStream, RequestBody.isOneShot, Spring's"
          + " own request factory, or a body above keepBodiesUpTo of ours). Send bytes, a string or"
          + " a file; where the stream yields the same bytes each time, say"
          + " RetryOptions.bodyRepeatable(true)"),
  /** Only the total timeout ended an attempt that got no answer. */
  SILENT_ATTEMPT(
      "its first attempt got no answer within the total timeout, so there was no time to retry."
          + " java.net.http has no timeout of its own. Set attemptTimeout, or HttpRequest.timeout,"
          + " so that a silent attempt is followed by another one"),
  /** Nothing at all bounds an operation. */
  UNBOUNDED(
      "neither a total timeout, an attempt timeout, a deadline nor a timeout of the request bounds"
          + " it, so it may wait for its answer for ever. Set attemptTimeout or totalTimeout"),
  /** A layer below this library sends again what failed. */
  RESENT_BENEATH(
      "its request was sent again within one attempt after it had failed, which redirects,"
          + " authentication and further addresses of the host do not explain. Likely cause: an"
          + " interceptor of the client that retries by itself, such as one that an SDK has added."
          + " The attempts of both multiply: switch its retries off"),
  /** A layer above this library retries. */
  RETRIED_ABOVE(
      "its request says that it is a retry (x-stainless-retry-count, amz-sdk-request). Likely"
          + " cause: an SDK above this client that retries by itself. The attempts of both multiply:"
          + " switch its retries off, for example with maxRetries(0)");

  private final String text;

  Advice(String text) {
    this.text = text;
  }

  /** {@return the text, the end of a sentence: what happened, the likely cause, and what to do} */
  public String text() {
    return text;
  }
}
