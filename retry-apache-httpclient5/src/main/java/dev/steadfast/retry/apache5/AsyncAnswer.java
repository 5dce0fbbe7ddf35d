package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.ResponseView;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.jspecify.annotations.Nullable;

/** The answer of an attempt of an asynchronous client. */
final class AsyncAnswer extends Answer<HttpResponse> {
  private final @Nullable EntityDetails details; // null: without a body
  private final BodyRelay body;

  AsyncAnswer(HttpResponse response, @Nullable EntityDetails details, @Nullable WireTrace wire) {
    super(response, wire);
    this.details = details;
    this.body = new BodyRelay(wire);
  }

  /** Makes an answer that a journal has kept. */
  static AsyncAnswer kept(ResponseView head, byte[] bytes) {
    HttpResponse response = saved(new BasicHttpResponse(head.status()), head);
    EntityDetails details = new BasicEntityDetails(bytes.length, type(head));
    AsyncAnswer answer = new AsyncAnswer(response, details, null);
    answer.whole(bytes);
    answer.body.holds(bytes);
    return answer;
  }

  @Nullable EntityDetails details() {
    return details;
  }

  BodyRelay body() {
    return body;
  }

  /** Hands the answer to the caller. */
  void handTo(AsyncExecCallback callers) {
    body.handTo(callers, response(), details);
  }
}
