package dev.steadfast.retry.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Set;
import java.util.stream.Collectors;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;

/** Nothing is kept of an operation that is over, whatever its origin, and spans have few names. */
class ManyOriginsTest {
  private static final int ORIGINS = 1_000;

  private static Response answer(Interceptor.Chain chain) {
    return new Response.Builder()
        .request(chain.request())
        .protocol(Protocol.HTTP_1_1)
        .code(200)
        .message("")
        .body(ResponseBody.create("", null))
        .build();
  }

  @Test
  void aThousand() throws Exception {
    try (Traced traced = new Traced()) {
      RetryTracing tracing =
          RetryTracing.builder(traced.openTelemetry()).operationSpans(true).build();
      OperationTracing operations = tracing.operations(tracing.attempts());
      RetryingCallFactory calls =
          RetryingCallFactory.wrap(
              new OkHttpClient.Builder().addInterceptor(ManyOriginsTest::answer).build(),
              tracing.addTo(HttpRetry.builder(), operations).build());
      for (int i = 0; i < ORIGINS; i++) {
        Request request = new Request.Builder().url("http://host-" + i + ".example/" + i).build();
        calls.newCall(request).execute().close();
      }
      assertEquals(0, operations.open());
      assertEquals(2 * ORIGINS, traced.spans().size());
      assertEquals(
          Set.of("GET", "steadfast.operation"),
          traced.spans().stream().map(SpanData::getName).collect(Collectors.toSet()));
    }
  }
}
