package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.Response;

/** A response together with the attempt that it came from. */
record Answer(Response response, WireTrace wire) implements ResponseView {
  @Override
  public int status() {
    return response.code();
  }

  @Override
  public List<String> headers(String name) {
    return response.headers(name);
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return new OkHttpViews.HeaderMap(response.headers());
  }

  @Override
  public Optional<String> origin() {
    return Optional.of(OkHttpViews.origin(response.request().url()));
  }
}
