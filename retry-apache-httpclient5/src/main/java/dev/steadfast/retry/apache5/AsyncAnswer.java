package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.ResponseView;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.jspecify.annotations.Nullable;

/** The answer of an attempt of an asynchronous client. */
final class AsyncAnswer extends ReceivedAnswer<AsyncAnswer, HttpResponse> {
  private final @Nullable EntityDetails details; // null: without a body
  private final BodyRelay body;

  AsyncAnswer(
      HttpResponse response,
      @Nullable EntityDetails details,
      @Nullable WireTrace wire,
      BodyRelay body) {
    super(response, wire, null);
    this.details = details;
    this.body = body;
  }

  /** An answer of which a journal has kept this. */
  static AsyncAnswer kept(ResponseView head, byte[] body) {
    HttpResponse response = saved(new BasicHttpResponse(head.status()), head);
    EntityDetails details = new BasicEntityDetails(body.length, type(head));
    AsyncAnswer answer = new AsyncAnswer(response, details, null, BodyRelay.of(body));
    answer.whole(body);
    return answer;
  }

  @Override
  AsyncAnswer with(RetryReport report) {
    return new AsyncAnswer(CarriedReport.on(response(), report), details, wire(), body);
  }

  /** The same with its body, which was read because nobody wanted it. */
  AsyncAnswer read(byte[] bytes) {
    AsyncAnswer answer = new AsyncAnswer(response(), details, wire(), BodyRelay.of(bytes));
    answer.whole(bytes);
    return answer;
  }

  BodyRelay body() {
    return body;
  }

  /** The caller gets it. */
  void handTo(AsyncExecCallback callers) {
    body.handTo(callers, response(), details);
  }
}
