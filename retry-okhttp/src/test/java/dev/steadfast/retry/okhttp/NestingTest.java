package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Layers that retry, one within the other: the outer one does, and is paid for. */
class NestingTest {
  private final Rig rig = new Rig();
  private final ScriptedServer server = ScriptedServer.start();
  private final ScriptedServer tokens = ScriptedServer.start();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    assertNull(CallContext.current());
    rig.close();
    server.assertNoLeaks();
    tokens.assertNoLeaks();
    server.close();
    tokens.close();
  }

  private Retrier retrier(RetryBudget budget) {
    return Retrier.builder()
        .environment(rig.time.environment())
        .listener(rig.time.skipWaits())
        .budget(budget)
        .retryResults(each -> each instanceof Integer status && status == 503)
        .build();
  }

  /** Carries calls out on whatever thread completes them. */
  private static CompletableFuture<Integer> enqueued(Call call) {
    CompletableFuture<Integer> future = new CompletableFuture<>();
    call.enqueue(
        new Callback() {
          @Override
          public void onFailure(Call failed, IOException failure) {
            future.completeExceptionally(failure);
          }

          @Override
          public void onResponse(Call answered, Response response) {
            response.close();
            future.complete(response.code());
          }
        });
    return future;
  }

  private int[] reported() {
    return rig.recorder.ended().stream().mapToInt(each -> each.attempts()).toArray();
  }

  // Stacked.

  @ParameterizedTest
  @EnumSource
  void aRetrierAround(Way way) throws Exception {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.defaultReply(Reply.status(503));

    int status =
        retrier(RetryBudget.unlimited())
            .call(() -> way.make(calls.newCall(Calls.get(server))).status());

    assertEquals(503, status);
    assertEquals(3, server.requests().size());
    assertEquals(List.of(1, 1, 1), java.util.Arrays.stream(reported()).boxed().toList());
    assertEquals(3, way.make(calls.newCall(Calls.get(server))).report().attempts());
  }

  @ParameterizedTest
  @EnumSource(names = {"ENQUEUE", "INTERCEPTOR_ENQUEUE"})
  void anAsynchronousRetrierAround(Way way) throws Exception {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.defaultReply(Reply.status(503));

    CompletableFuture<Integer> end =
        retrier(RetryBudget.unlimited())
            .callAsync(() -> enqueued(calls.newCall(Calls.get(server))));

    assertEquals(503, end.get(20, TimeUnit.SECONDS));
    assertEquals(3, server.requests().size());
    assertEquals(List.of(1, 1, 1), java.util.Arrays.stream(reported()).boxed().toList());
  }

  /** As a tracing client does that is made of an interceptor. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aFactoryWhoseInterceptorSendsThroughAnotherOne(Way way) {
    RetryingCallFactory inner = rig.factory(rig.retry().build());
    OkHttpClient tracing =
        rig.client(Rig.builder().addInterceptor(chain -> inner.newCall(chain.request()).execute()));
    server.defaultReply(Reply.status(503));

    Entry.Outcome got =
        way.make(rig.factory(tracing, rig.retry().build()).newCall(Calls.get(server)));

    assertEquals(503, got.status());
    assertEquals(3, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource(names = {"INTERCEPTOR", "INTERCEPTOR_ENQUEUE"})
  void anInterceptorAroundOneThatSendsThroughAnotherClient(Way way) {
    OkHttpClient inner = rig.client(RetryInterceptor.addTo(Rig.builder(), rig.retry().build()));
    OkHttpClient outer =
        rig.client(
            RetryInterceptor.addTo(Rig.builder(), rig.retry().build())
                .addInterceptor(chain -> inner.newCall(chain.request()).execute()));
    server.defaultReply(Reply.status(503));

    assertEquals(503, way.make(outer.newCall(Calls.get(server))).status());

    assertEquals(3, server.requests().size());
  }

  /** Another request that an interceptor makes is another operation. */
  @ParameterizedTest
  @EnumSource
  void whatAnInterceptorAsksBesideIsRetried(Way way) {
    RetryingCallFactory inner = rig.factory(rig.retry().build());
    Request token = new Request.Builder().url(tokens.uri("/token").toString()).build();
    Call.Factory calls =
        way.calls(
            rig,
            Rig.builder()
                .addInterceptor(chain -> {
                  inner.newCall(token).execute().close();
                  return chain.proceed(chain.request());
                }),
            rig.retry().build());
    tokens.enqueue(Reply.status(503), Reply.status(503), Reply.status(200));

    assertEquals(200, way.make(calls.newCall(Calls.get(server))).status());

    assertEquals(3, tokens.requests().size());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void threeLayersAndMore(Way way) throws Exception {
    OkHttpClient client = rig.client(RetryInterceptor.addTo(Rig.builder(), rig.retry().build()));
    RetryingCallFactory calls = rig.factory(client, rig.retry().build());
    server.defaultReply(Reply.status(503));
    Retrier retrier = retrier(RetryBudget.unlimited());

    retrier.call(() -> retrier.call(() -> way.make(calls.newCall(Calls.get(server))).status()));

    assertEquals(3, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBudgetThatIsSharedIsToldByTheOuterLayer(Way way) throws Exception {
    Books books = new Books();
    Call.Factory calls = way.calls(rig, rig.retry().budget(books).build());
    server.enqueue(Reply.status(503), Reply.status(503), Reply.status(200));

    int status = retrier(books).call(() -> way.make(calls.newCall(Calls.get(server))).status());

    assertEquals(200, status);
    assertEquals(1, books.began.get());
    assertEquals(2, books.withdrawn.get());
    assertEquals(1, books.endedSucceeded.get());
    assertEquals(1, books.ended());
    assertEquals(0, books.refunded.get());
  }

  @ParameterizedTest
  @EnumSource
  void theResendOnAStaleConnectionCostsNothing(Way way) throws Exception {
    Books books = new Books();
    Call.Factory calls = way.calls(rig, rig.retry().budget(books).build());
    server.enqueue(Reply.status(200).thenClose());
    assertEquals(200, way.make(calls.newCall(Calls.get(server))).status());
    server.awaitNoOpenConnections(Calls.SOON);

    retrier(books).call(() -> way.make(calls.newCall(Calls.get(server))).status());

    assertEquals(2, books.began.get());
    assertEquals(2, books.endedSucceeded.get());
    assertEquals(0, books.withdrawn.get());
    assertEquals(0, books.refunded.get());
    assertEquals(FailureKind.STALE_CONNECTION, rig.recorder.attempts().get(1).kind().orElseThrow());
  }

  // An authenticator's own call for a token is another operation.

  /** A layer around a call, and how many requests for a token it makes if the first two fail. */
  enum Around {
    RETRIER(3),
    TWO_RETRIERS(3),
    SCOPE(3),
    SCOPE_WITHIN_A_RETRIER(3),
    /** The layer above repeats the whole request, token and all. */
    DO_NOT_RETRY(1);

    private final int requestsForAToken;

    Around(int requestsForAToken) {
      this.requestsForAToken = requestsForAToken;
    }

    void run(Retrier retrier, Callable<Integer> call) throws Exception {
      switch (this) {
        case RETRIER -> retrier.call(call);
        case TWO_RETRIERS -> retrier.call(() -> retrier.call(call));
        case SCOPE -> within(Map.of("grpc-timeout", "1H"), false, call);
        case SCOPE_WITHIN_A_RETRIER -> retrier.call(() -> within(Map.of(), true, call));
        case DO_NOT_RETRY -> within(Map.of("Do-Not-Retry", "true"), true, call);
      }
    }

    private static int within(Map<String, String> headers, boolean told, Callable<Integer> call)
        throws Exception {
      try (RetryScope scope = RetryScope.enter(headers::get)) {
        assertEquals(told, scope.doNotRetry());
        int status = call.call();
        assertFalse(scope.gaveUp());
        return status;
      }
    }
  }

  static Stream<Arguments> tokens() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Around.values()).map(around -> Arguments.of(way, around)));
  }

  @ParameterizedTest
  @MethodSource("tokens")
  void aTokenIsRetried_unlessALayerAboveRepeatsTheRequest(Way way, Around around) throws Exception {
    AtomicReference<Call.Factory> own = new AtomicReference<>();
    Request token = new Request.Builder().url(tokens.uri("/token").toString()).build();
    OkHttpClient.Builder builder = Rig.builder();
    builder.authenticator((route, response) -> {
      if (response.request().header("Authorization") != null) {
        return null;
      }
      Entry entry = around == Around.TWO_RETRIERS ? Entry.ENQUEUE : Entry.EXECUTE;
      Entry.Outcome got = entry.make(own.get().newCall(token));
      return response
          .request()
          .newBuilder()
          .header("Authorization", "Bearer " + got.status())
          .build();
    });
    Call.Factory calls = way.calls(rig, builder, rig.retry().build());
    own.set(calls);
    server.enqueue(Reply.status(401));
    tokens.enqueue(Reply.status(503), Reply.status(503));
    around.run(
        retrier(RetryBudget.unlimited()),
        () -> {
          int status = way.make(calls.newCall(Calls.get(server))).status();
          assertEquals(200, status);
          return status;
        });
    assertEquals(2, server.requests().size());
    assertEquals(around.requestsForAToken, tokens.requests().size());
  }

  // The event listener by which the interceptor knows where a call was made.

  @Test
  void aFactoryHasTheUsersListenersAlone() {
    Listeners users = new Listeners();
    OkHttpClient client =
        rig.client(
            RetryInterceptor.addTo(Rig.builder().eventListenerFactory(users), rig.retry().build()));
    RetryingCallFactory calls = rig.factory(client, rig.retry().build());
    assertEquals(users, calls.client().eventListenerFactory());
    assertEquals(200, Entry.EXECUTE.make(calls.newCall(Calls.get(server))).status());
    assertEquals(200, Entry.EXECUTE.make(client.newCall(Calls.get(server))).status());
    assertEquals(2, users.calls.size());
  }

  @ParameterizedTest
  @EnumSource(names = {"INTERCEPTOR", "INTERCEPTOR_ENQUEUE"})
  void theUsersListenersGoOnWithinAScope(Way way) {
    Listeners users = new Listeners();
    Call.Factory calls =
        way.calls(rig, Rig.builder().eventListenerFactory(users), rig.retry().build());
    server.defaultReply(Reply.status(503));
    try (RetryScope scope = RetryScope.enter(Map.of("Do-Not-Retry", "true")::get)) {
      assertEquals(1, way.make(calls.newCall(Calls.get(server))).report().attempts());
      assertFalse(scope.gaveUp());
    }
    assertEquals(1, users.calls.size());
    assertEquals(1, users.started.get());
    users.calls.clear();
    assertForgotten((OkHttpClient) calls);
  }

  @Test
  void aClientThatIsDerivedFromAClientCapturesOnce() {
    OkHttpClient client = rig.client(RetryInterceptor.addTo(Rig.builder(), rig.retry().build()));
    OkHttpClient.Builder again = client.newBuilder();
    again.interceptors().clear();
    again.networkInterceptors().clear();
    OkHttpClient derived = rig.client(RetryInterceptor.addTo(again, rig.retry().build()));
    server.defaultReply(Reply.status(503));
    try (RetryScope scope = RetryScope.enter(Map.of("Do-Not-Retry", "true")::get)) {
      assertEquals(1, Entry.ENQUEUE.make(derived.newCall(Calls.get(server))).report().attempts());
      assertFalse(scope.gaveUp());
    }
    assertEquals(0, noted(client));
    assertForgotten(derived);
  }

  @Test
  void callsThatAreNeverExecutedLeaveNothing() {
    OkHttpClient client = rig.client(RetryInterceptor.addTo(Rig.builder(), rig.retry().build()));
    try (RetryScope scope = RetryScope.enter(Map.of("Do-Not-Retry", "true")::get)) {
      for (int i = 0; i < 1_000; i++) {
        client.newCall(Calls.get(server));
      }
      assertTrue(scope.doNotRetry());
    }
    assertForgotten(client);
    client.newCall(Calls.get(server));
    assertEquals(0, noted(client)); // outside of all scopes nothing is kept
  }

  /** Nothing is kept of calls that nobody holds. */
  private static void assertForgotten(OkHttpClient client) {
    while (noted(client) > 0 && !Thread.interrupted()) { // by the time limit of all tests
      System.gc(); // which may leave some for the next
    }
    assertEquals(0, noted(client));
  }

  private static int noted(OkHttpClient client) {
    return ((RetryInterceptor) client.interceptors().get(0)).callContext().size();
  }
}
