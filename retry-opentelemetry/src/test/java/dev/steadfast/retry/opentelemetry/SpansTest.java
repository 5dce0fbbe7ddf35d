package dev.steadfast.retry.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.instrumentation.api.semconv.http.HttpClientRequestResendCount;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operation of three attempts is one trace, through every entry point. */
class SpansTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final Traced traced = new Traced();
  private final FakeTime time = new FakeTime();

  @AfterEach
  void close() {
    traced.close();
    server.close();
  }

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .policy(
            RetryPolicy.builder()
                .maxAttempts(3)
                .backoff(Backoff.fixed(Duration.ofMillis(250)))
                .build())
        .environment(time.environment())
        .listener(time.skipWaits());
  }

  private RetryTracing.Builder tracing() {
    return RetryTracing.builder(traced.openTelemetry());
  }

  private RetryTracing.Builder tracingOfInstrumented() {
    return tracing().instrumentedClient(HttpClientRequestResendCount::initialize);
  }

  private int put(EntryPoint.Client client) throws Exception {
    return traced.within(() -> client.put(server.uri("/orders/7?secret=1")));
  }

  private void putThreeTimes(EntryPoint.Client client) throws Exception {
    server.enqueue(Reply.status(503), Reply.status(503));
    assertEquals(200, put(client));
  }

  /** Each request carries the context of the span of its attempt. */
  private void checkHeaders() {
    List<String> sent =
        server.requests().stream()
            .map(each -> each.header("traceparent").orElseThrow())
            .map(each -> each.substring(0, each.lastIndexOf('-'))) // without the flags
            .toList();
    List<String> spans =
        traced.spans().stream()
            .filter(each -> each.getKind() == SpanKind.CLIENT)
            .map(each -> "00-" + each.getTraceId() + "-" + each.getSpanId())
            .toList();
    assertEquals(spans, sent);
  }

  @ParameterizedTest
  @EnumSource
  void eachAttemptIsASpanOfOurs_ifTheClientMakesNone(EntryPoint entry) throws Exception {
    putThreeTimes(entry.client(tracing().build().addTo(retry()).build()));
    assertEquals(
        """
        caller INTERNAL
          * steadfast.wait {steadfast.wait.duration=0.25, steadfast.wait.why=backoff}
          * steadfast.wait {steadfast.wait.duration=0.25, steadfast.wait.why=backoff}
          * steadfast.end {steadfast.attempts=3, steadfast.outcome_unknown=false,\
         steadfast.reason=accepted, steadfast.replayed=false}
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503, steadfast.attempt.disposition=answered,\
         steadfast.attempt.kind=unavailable}
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.request.resend_count=1, http.response.status_code=503,\
         steadfast.attempt.disposition=answered, steadfast.attempt.kind=unavailable}
          PUT CLIENT {http.request.method=PUT, http.request.resend_count=2,\
         http.response.status_code=200, steadfast.attempt.disposition=answered}\
        """,
        traced.tree());
    checkHeaders();
  }

  @ParameterizedTest
  @EnumSource
  void eachAttemptIsASpanOfTheLibrary_ifTheClientIsInstrumented(EntryPoint entry) throws Exception {
    HttpRetry retry = tracingOfInstrumented().build().addTo(retry()).build();
    putThreeTimes(entry.instrumented(retry, traced.openTelemetry()));
    assertEquals(
        """
        caller INTERNAL
          * steadfast.wait {steadfast.wait.duration=0.25, steadfast.wait.why=backoff}
          * steadfast.wait {steadfast.wait.duration=0.25, steadfast.wait.why=backoff}
          * steadfast.end {steadfast.attempts=3, steadfast.outcome_unknown=false,\
         steadfast.reason=accepted, steadfast.replayed=false}
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503}
          PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.request.resend_count=1, http.response.status_code=503}
          PUT CLIENT {http.request.method=PUT, http.request.resend_count=2,\
         http.response.status_code=200}\
        """,
        traced.tree());
    checkHeaders();
  }

  @ParameterizedTest
  @EnumSource
  void theOperationIsASpan_ifThatIsAskedFor(EntryPoint entry) throws Exception {
    HttpRetry retry = tracingOfInstrumented().operationSpans(true).build().addTo(retry()).build();
    putThreeTimes(entry.instrumented(retry, traced.openTelemetry()));
    String library =
        """
        caller INTERNAL
          steadfast.operation INTERNAL {steadfast.attempts=3, steadfast.outcome_unknown=false,\
         steadfast.reason=accepted, steadfast.replayed=false}
            * steadfast.wait {steadfast.wait.duration=0.25, steadfast.wait.why=backoff}
            * steadfast.wait {steadfast.wait.duration=0.25, steadfast.wait.why=backoff}
            PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503}
            PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.request.resend_count=1, http.response.status_code=503}
            PUT CLIENT {http.request.method=PUT, http.request.resend_count=2,\
         http.response.status_code=200}\
        """;
    assertEquals(library, traced.tree());
    checkHeaders();
  }

  @ParameterizedTest
  @EnumSource
  void theGuideShowsTheSpansOfAnOperation(EntryPoint entry) throws Exception {
    putThreeTimes(entry.client(tracing().operationSpans(true).build().addTo(retry()).build()));
    String guide = Files.readString(Path.of("..", "docs", "telemetry.md"));
    assertTrue(guide.contains("```\n" + traced.tree() + "\n```"), traced::tree);
  }

  @ParameterizedTest
  @EnumSource
  void withoutASpanOfTheCaller_theSpanOfTheOperationKeepsItsAttemptsTogether(EntryPoint entry)
      throws Exception {
    HttpRetry retry = tracing().operationSpans(true).build().addTo(retry()).build();
    server.enqueue(Reply.status(503), Reply.status(503));
    entry.client(retry).put(server.uri("/"));
    assertEquals(4, traced.spans().size());
    assertEquals(1, traced.spans().stream().map(SpanData::getTraceId).distinct().count());
    checkHeaders();
  }

  @ParameterizedTest
  @EnumSource
  void anOperationOfOneAttemptAddsNothingToTheSpanOfTheCaller(EntryPoint entry) throws Exception {
    HttpRetry retry = tracingOfInstrumented().build().addTo(retry()).build();
    put(entry.instrumented(retry, traced.openTelemetry()));
    assertEquals(
        """
        caller INTERNAL
          PUT CLIENT {http.request.method=PUT, http.response.status_code=200}\
        """,
        traced.tree());
  }

  /** What the caller calls afterwards is no resend of the operation. */
  @ParameterizedTest
  @EnumSource
  void aCallbackIsInTheContextOfTheCaller(EntryPoint entry) throws Exception {
    HttpRetry retry = tracingOfInstrumented().build().addTo(retry()).build();
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    EntryPoint.Client client = entry.instrumented(retry, traced.openTelemetry());
    Runnable callback =
        () -> {
          Context here = Context.current();
          String span = Span.fromContext(here).getSpanContext().getSpanId();
          seen.add(span + " " + HttpClientRequestResendCount.get(here));
        };
    server.enqueue(Reply.status(503), Reply.status(503));
    traced.within(() -> client.put(server.uri("/"), callback));
    SpanData caller =
        traced.spans().stream()
            .filter(each -> each.getName().equals("caller"))
            .findFirst()
            .orElseThrow();
    assertEquals(List.of(caller.getSpanId() + " 0"), seen);
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatBreaks(EntryPoint entry) throws Exception {
    server.defaultReply(Reply.closeAfterRequest());
    EntryPoint.Client client = entry.client(tracing().build().addTo(retry()).build());
    assertThrows(Exception.class, () -> put(client));
    List<SpanData> attempts =
        traced.spans().stream().filter(each -> each.getKind() == SpanKind.CLIENT).toList();
    assertEquals(3, attempts.size());
    for (SpanData each : attempts) {
      Map<AttributeKey<?>, Object> attributes = each.getAttributes().asMap();
      assertEquals("java.io.IOException", attributes.get(Names.ERROR_TYPE));
      assertEquals("unknown", attributes.get(Names.DISPOSITION));
      assertEquals(StatusCode.ERROR, each.getStatus().getStatusCode());
    }
    assertTrue(traced.tree().contains("steadfast.reason=attempts_exhausted"), traced::tree);
  }

  @ParameterizedTest
  @EnumSource
  void aRetryThatIsRefused(EntryPoint entry) throws Exception {
    RetryBudget empty = RetryBudget.successFunded(0, 0, 0);
    HttpRetry retry = tracing().operationSpans(true).build().addTo(retry()).budget(empty).build();
    server.enqueue(Reply.status(503));
    assertEquals(503, put(entry.client(retry)));
    assertEquals(
        """
        caller INTERNAL
          steadfast.operation INTERNAL ERROR {error.type=budget_exhausted, steadfast.attempts=1,\
         steadfast.outcome_unknown=true, steadfast.reason=budget_exhausted,\
         steadfast.replayed=false}
            PUT CLIENT ERROR {error.type=503, http.request.method=PUT,\
         http.response.status_code=503, steadfast.attempt.disposition=answered,\
         steadfast.attempt.kind=unavailable}\
        """,
        traced.tree());
  }

  /** An attempt that a guard refuses is not sent, so it is no span. */
  @ParameterizedTest
  @EnumSource
  void anAttemptThatIsRefused(EntryPoint entry) throws Exception {
    HttpRetry retry = tracing().build().addTo(retry()).guard(new Refusing()).build();
    EntryPoint.Client client = entry.client(retry);
    assertThrows(Exception.class, () -> put(client));
    assertEquals(
        """
        caller INTERNAL
          * steadfast.end {steadfast.attempts=0, steadfast.outcome_unknown=false,\
         steadfast.reason=guard_refused, steadfast.replayed=false}\
        """,
        traced.tree());
  }

  private static final class Refusing implements Guard {
    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return Guard.NEVER;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      throw new IllegalStateException("not now");
    }
  }
}
