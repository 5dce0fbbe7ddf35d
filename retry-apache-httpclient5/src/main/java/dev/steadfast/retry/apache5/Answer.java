package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.ResponseView;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.jspecify.annotations.Nullable;

/** The answer of an attempt of the classic client. */
final class Answer extends ReceivedAnswer<Answer, ClassicHttpResponse> {
  Answer(ClassicHttpResponse response, @Nullable WireTrace wire, byte @Nullable [] whole) {
    super(response, wire, whole);
  }

  /** An answer of which a journal has kept this. */
  static Answer kept(ResponseView head, byte[] body) {
    ClassicHttpResponse response = saved(new BasicClassicHttpResponse(head.status()), head);
    response.setEntity(new ByteArrayEntity(body, type(head)));
    return new Answer(response, null, body);
  }

  @Override
  Answer with(RetryReport report) {
    return new Answer(CarriedReport.on(response(), report), wire(), whole());
  }

  /** The same with its body, which was read because nobody wanted it. */
  Answer read(byte[] body) {
    HttpEntity entity = response().getEntity();
    if (entity != null && whole() == null) {
      response().setEntity(new ReadEntity(entity, body, null));
    }
    return new Answer(response(), wire(), body);
  }
}
