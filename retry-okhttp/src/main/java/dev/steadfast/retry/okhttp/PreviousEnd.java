package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.Attempt;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt, kept until the next one has sent the request body: if that turns out to
 * have changed, the caller gets this.
 *
 * @param response an answer whose body is in memory
 * @param failure null if there is an answer
 */
record PreviousEnd(@Nullable Response response, @Nullable Throwable failure) {
  static PreviousEnd of(Throwable failure) {
    return new PreviousEnd(null, failure);
  }

  /**
   * The end of an attempt with an answer that was read for the sake of its connection.
   *
   * @param rest its body
   */
  static PreviousEnd of(Response response, Buffer rest) {
    ResponseBody body = response.body();
    return new PreviousEnd(
        response
            .newBuilder()
            .body(ResponseBody.create(rest, body.contentType(), rest.size()))
            .build(),
        null);
  }

  /** Ends an attempt in the same way. */
  void end(WireTrace wire, Attempt<OkHttpAnswer> attempt) {
    attempt.complete(response == null ? null : new OkHttpAnswer(response, wire, null), failure);
  }
}
