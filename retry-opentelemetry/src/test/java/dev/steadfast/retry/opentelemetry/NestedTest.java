package dev.steadfast.retry.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import io.opentelemetry.instrumentation.api.semconv.http.HttpClientRequestResendCount;
import io.opentelemetry.instrumentation.okhttp.v3_0.OkHttpTelemetry;
import java.io.IOException;
import java.net.URI;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operation within an attempt of another one is in its trace, and numbers its own attempts. */
class NestedTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final ScriptedServer tokens = ScriptedServer.start();
  private final Traced traced = new Traced();

  @AfterEach
  void close() {
    traced.close();
    server.close();
    tokens.close();
  }

  private static RetryPolicy twoAttempts() {
    return RetryPolicy.builder().maxAttempts(2).backoff(Backoff.none()).build();
  }

  private HttpRetry retry() {
    return RetryTracing.builder(traced.openTelemetry())
        .instrumentedClient(HttpClientRequestResendCount::initialize)
        .build()
        .addTo(HttpRetry.builder().policy(twoAttempts()).budget(RetryBudget.unlimited()))
        .build();
  }

  private static String withoutEvents(String tree) {
    return tree.replaceAll("(?m)^ *\\* .*\n", "");
  }

  @ParameterizedTest
  @EnumSource
  void withinWorkThatIsRetried(EntryPoint entry) throws Exception {
    RetryTracing tracing =
        RetryTracing.builder(traced.openTelemetry()).operationSpans(true).build();
    Retrier work =
        tracing
            .addTo(
                Retrier.builder().policy(twoAttempts()).retryResults(Integer.valueOf(503)::equals))
            .build();
    EntryPoint.Client client = entry.instrumented(retry(), traced.openTelemetry());
    server.enqueue(Reply.status(503));
    assertEquals(200, traced.within(() -> work.call(() -> client.put(server.uri("/")))));
    assertEquals(
        """
        caller INTERNAL
          steadfast.operation INTERNAL {steadfast.attempts=2, steadfast.outcome_unknown=false,\
         steadfast.reason=accepted, steadfast.replayed=false}
            PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503}
            PUT CLIENT {http.request.method=PUT, http.response.status_code=200}\
        """,
        withoutEvents(traced.tree()));
  }

  /** Asks for a token before each attempt. */
  private record Authenticating(EntryPoint.Client client, URI tokens) implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      try {
        client.put(tokens);
      } catch (Exception failed) {
        throw new IOException(failed);
      }
      return chain.proceed(chain.request());
    }
  }

  private void callThatNeedsTokens(EntryPoint.Client inner, HttpRetry retry) throws Exception {
    OkHttpClient client =
        new OkHttpClient.Builder()
            .addInterceptor(new Authenticating(inner, tokens.uri("/token")))
            .build();
    OkHttpTelemetry telemetry = OkHttpTelemetry.create(traced.openTelemetry());
    RetryingCallFactory calls =
        RetryingCallFactory.wrap(client, telemetry::createCallFactory, retry);
    server.enqueue(Reply.status(503));
    tokens.enqueue(Reply.status(503), Reply.status(200), Reply.status(503));
    Request request = new Request.Builder().url(server.uri("/").toString()).build();
    traced.within(() -> {
      try (Response response = calls.newCall(request).execute()) {
        return response.code();
      }
    });
  }

  // Not where the call factory that is traced is around the retries: within an attempt, the library
  // takes its call for a part of that attempt.
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "INTERCEPTOR.*")
  void withinAnInterceptor(EntryPoint entry) throws Exception {
    callThatNeedsTokens(entry.instrumented(retry(), traced.openTelemetry()), retry());
    assertEquals(
        """
        caller INTERNAL
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503}
          PUT CLIENT {http.request.method=PUT, http.request.resend_count=1,\
         http.response.status_code=200}
          GET CLIENT ERROR {error.type=503, http.request.method=GET,\
         http.response.status_code=503}
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503}
          PUT CLIENT {http.request.method=PUT, http.request.resend_count=1,\
         http.response.status_code=200}
          GET CLIENT {http.request.method=GET, http.request.resend_count=1,\
         http.response.status_code=200}\
        """,
        withoutEvents(traced.tree()));
  }

  /** Nobody but us makes the spans of the calls for tokens. */
  @ParameterizedTest
  @EnumSource
  void withinAnInterceptor_withSpansOfOurs(EntryPoint entry) throws Exception {
    HttpRetry ours =
        RetryTracing.of(traced.openTelemetry())
            .addTo(HttpRetry.builder().policy(twoAttempts()))
            .build();
    callThatNeedsTokens(entry.client(ours), retry());
    assertEquals(
        """
        caller INTERNAL
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503, steadfast.attempt.disposition=answered,\
         steadfast.attempt.kind=unavailable}
          PUT CLIENT {http.request.method=PUT, http.request.resend_count=1,\
         http.response.status_code=200, steadfast.attempt.disposition=answered}
          GET CLIENT ERROR {error.type=503, http.request.method=GET,\
         http.response.status_code=503}
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503, steadfast.attempt.disposition=answered,\
         steadfast.attempt.kind=unavailable}
          PUT CLIENT {http.request.method=PUT, http.request.resend_count=1,\
         http.response.status_code=200, steadfast.attempt.disposition=answered}
          GET CLIENT {http.request.method=GET, http.request.resend_count=1,\
         http.response.status_code=200}\
        """,
        withoutEvents(traced.tree()));
  }
}
