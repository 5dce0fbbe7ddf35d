package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;

/** Who forgets to build the options is told, and does not send without them. */
class BuilderTagTest {
  private static final Request.Builder REQUEST = new Request.Builder().url("http://localhost/x");

  @Test
  void aBuilderAsTag_isRefused() {
    RetryingCallFactory calls = RetryingCallFactory.wrap(new OkHttpClient(), HttpRetry.defaults());
    RetryOptions.Builder forgotten = RetryOptions.builder().idempotencyKey("order-1");
    for (Request request :
        List.of(
            REQUEST.tag(forgotten).build(),
            REQUEST.tag(RetryOptions.Builder.class, forgotten).build())) {
      Exception refused =
          assertThrows(IllegalArgumentException.class, () -> calls.newCall(request));
      assertEquals(
          "tag: a RetryOptions.Builder (expected: the RetryOptions that its build() returns)",
          refused.getMessage());
    }
  }
}
