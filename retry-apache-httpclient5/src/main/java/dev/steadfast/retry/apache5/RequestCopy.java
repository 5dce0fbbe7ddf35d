package dev.steadfast.retry.apache5;

import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicHttpRequest;

/** Copies requests. The builders of HttpCore do the same, and copy the headers once more. */
final class RequestCopy {
  private RequestCopy() {}

  static ClassicHttpRequest of(ClassicHttpRequest request) {
    ClassicHttpRequest copy =
        new BasicClassicHttpRequest(
            request.getMethod(), request.getScheme(), request.getAuthority(), request.getPath());
    copy.setEntity(request.getEntity());
    return withHead(copy, request);
  }

  static HttpRequest of(HttpRequest request) {
    return withHead(
        new BasicHttpRequest(
            request.getMethod(), request.getScheme(), request.getAuthority(), request.getPath()),
        request);
  }

  private static <R extends HttpRequest> R withHead(R copy, HttpRequest request) {
    copy.setVersion(request.getVersion());
    copy.setHeaders(request.getHeaders());
    return copy;
  }
}
