package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.ResponseView;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;

/** Makes an answer of what a journal has kept. */
final class SavedAnswers {
  private SavedAnswers() {}

  static ClassicHttpResponse restore(ResponseView head, byte[] body) {
    ClassicHttpResponse response = new BasicClassicHttpResponse(head.status());
    response.setVersion(HttpVersion.HTTP_1_1);
    head.headerMap()
        .forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    String type = head.headers("Content-Type").stream().findFirst().orElse(null);
    response.setEntity(new ByteArrayEntity(body, ContentType.parseLenient(type)));
    return response;
  }
}
