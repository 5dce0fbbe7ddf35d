package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hc.core5.http.HttpResponse;

/**
 * A head as it came from the wire: handlers may change the response, or make an exception of it.
 *
 * @param status its status
 * @param headerMap its headers; the names of this map have no case
 * @param origin who answered
 */
record HeadView(int status, Map<String, List<String>> headerMap, Optional<String> origin)
    implements ResponseView {
  static HeadView of(HttpResponse response, Optional<String> origin) {
    return new HeadView(response.getCode(), Apache5Views.map(response), origin);
  }

  @Override
  public List<String> headers(String name) {
    return headerMap.getOrDefault(name, List.of());
  }
}
