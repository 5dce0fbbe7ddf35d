package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The future of the wrapped client shows failures as that of the plain client does. */
class FutureFailureTest {
  private final Bench bench = new Bench();
  private final RefusedPort nobody = RefusedPort.open();
  private final HttpClient plain = Bench.plain().build();
  // Replies wait for it, so that callbacks are attached before the end.
  private final CountDownLatch attached = new CountDownLatch(1);

  @AfterEach
  void close() {
    attached.countDown();
    nobody.close();
    bench.close();
  }

  private HttpClient wrapped() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(2)
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .totalTimeout(Duration.ofSeconds(10))
            .build();
    return RetryingHttpClient.wrap(plain, HttpRetry.builder().policy(policy).build());
  }

  /** How a call fails. */
  enum Cause {
    REFUSED,
    LOST,
    TIMEOUT,
    HANDLER,
    HANDLER_ERROR
  }

  private CompletableFuture<HttpResponse<String>> failing(HttpClient client, Cause cause) {
    return failing(client, cause, 0);
  }

  private CompletableFuture<HttpResponse<String>> failing(
      HttpClient client, Cause cause, long timeoutMillis) {
    BodyHandler<String> text = BodyHandlers.ofString();
    if (cause == Cause.REFUSED) {
      return client.sendAsync(HttpRequest.newBuilder(nobody.uri("/")).build(), text);
    }
    bench.server.defaultReply(
        switch (cause) {
          case LOST -> Reply.closeAfterRequest().delayUntil(attached);
          case TIMEOUT -> Reply.stallAfterRequest();
          default -> Reply.status(200).delayUntil(attached);
        });
    HttpRequest.Builder request =
        HttpRequest.newBuilder(bench.server.uri("/" + timeoutMillis))
            .PUT(BodyPublishers.ofString("a"));
    if (cause == Cause.TIMEOUT) {
      request.timeout(Duration.ofMillis(timeoutMillis));
    }
    BodyHandler<String> handler =
        switch (cause) {
          case HANDLER -> UserFault.HANDLER_THROWS_UNCHECKED.handler();
          case HANDLER_ERROR -> UserFault.HANDLER_THROWS_ERROR.handler();
          default -> text;
        };
    return client.sendAsync(request.build(), handler);
  }

  private static Throwable nothing() {
    return new Throwable("no failure");
  }

  private static Throwable orNothing(Throwable thrown) {
    return thrown == null ? nothing() : thrown;
  }

  /** How a caller looks at a future; each gives a future of what is seen. */
  enum Look {
    WHEN_COMPLETE(future -> {
      CompletableFuture<Throwable> seen = new CompletableFuture<>();
      future.whenComplete((value, thrown) -> seen.complete(orNothing(thrown)));
      return seen;
    }),
    WHEN_COMPLETE_ASYNC(future -> {
      CompletableFuture<Throwable> seen = new CompletableFuture<>();
      future.whenCompleteAsync((value, thrown) -> seen.complete(orNothing(thrown)));
      return seen;
    }),
    HANDLE(future -> future.handle((value, thrown) -> orNothing(thrown))),
    EXCEPTIONALLY(
        future -> future.<Throwable>thenApply(value -> nothing()).exceptionally(thrown -> thrown)),
    EXCEPTIONALLY_DIRECTLY(future -> {
      CompletableFuture<Throwable> seen = new CompletableFuture<>();
      future.exceptionally(thrown -> {
        seen.complete(thrown);
        return null;
      });
      return seen;
    }),
    THEN_APPLY_HANDLE(
        future -> future.thenApply(value -> value).handle((value, thrown) -> orNothing(thrown))),
    THEN_COMPOSE_HANDLE(future ->
        CompletableFuture.completedFuture(1)
            .thenCompose(one -> future)
            .handle((value, thrown) -> orNothing(thrown))),
    GET(future -> CompletableFuture.supplyAsync(() -> thrownBy(future::get))),
    GET_IN_TIME(future ->
        CompletableFuture.supplyAsync(() -> thrownBy(() -> future.get(9, TimeUnit.SECONDS)))),
    JOIN(future -> CompletableFuture.supplyAsync(() -> thrownBy(future::join))),
    GET_NOW(future -> future.handle((value, thrown) -> thrownBy(() -> future.getNow(null))));

    @SuppressWarnings("ImmutableEnumChecker") // the functions above hold nothing
    private final Function<CompletableFuture<?>, CompletableFuture<Throwable>> look;

    Look(Function<CompletableFuture<?>, CompletableFuture<Throwable>> look) {
      this.look = look;
    }

    CompletableFuture<Throwable> at(CompletableFuture<?> future) {
      return look.apply(future);
    }

    private static Throwable thrownBy(Callable<?> call) {
      try {
        call.call();
        return nothing();
      } catch (Throwable thrown) {
        return thrown;
      }
    }
  }

  private static String text(Throwable thrown) {
    return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
        .limit(2) // the causes of a timeout differ from run to run
        .map(each -> each.getClass().getName())
        .collect(Collectors.joining(" <- "));
  }

  private String seen(HttpClient client, Cause cause, Look look) throws Exception {
    return seen(failing(client, cause), look);
  }

  private String seen(CompletableFuture<?> future, Look look) throws Exception {
    CompletableFuture<Throwable> seen = look.at(future);
    attached.countDown();
    return text(seen.get(20, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedConnectionIsSeenAsPlain(Look look) throws Exception {
    assertEquals(seen(plain, Cause.REFUSED, look), seen(wrapped(), Cause.REFUSED, look));
  }

  @ParameterizedTest
  @EnumSource
  void aLostConnectionIsSeenAsPlain(Look look) throws Exception {
    assertEquals(seen(plain, Cause.LOST, look), seen(wrapped(), Cause.LOST, look));
  }

  /** Longer and longer, until no timeout was up before the server had the request. */
  @ParameterizedTest
  @EnumSource
  void aTimeoutIsSeenAsPlain(Look look) throws Exception {
    for (long millis = 200; ; millis *= 2) {
      String ofPlain = seen(failing(plain, Cause.TIMEOUT, millis), look);
      String ours = seen(failing(wrapped(), Cause.TIMEOUT, millis), look);
      String path = "/" + millis;
      long arrived =
          bench.server.requests().stream().filter(each -> each.target().equals(path)).count();
      if (arrived == 3) { // ours makes two attempts
        assertEquals(ofPlain, ours);
        return;
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void anExceptionOfTheHandlerIsSeenAsPlain(Look look) throws Exception {
    assertEquals(seen(plain, Cause.HANDLER, look), seen(wrapped(), Cause.HANDLER, look));
  }

  @ParameterizedTest
  @EnumSource
  void anErrorOfTheHandlerIsSeenAsPlain(Look look) throws Exception {
    assertEquals(
        seen(plain, Cause.HANDLER_ERROR, look), seen(wrapped(), Cause.HANDLER_ERROR, look));
  }

  // ---- after cancel

  /** With plain it depends on who is first whether the exception comes wrapped. */
  @ParameterizedTest
  @EnumSource
  void aCancellationIsSeenAsItselfUnlessTheLookDerivesAFuture(Look look) throws Exception {
    CompletableFuture<HttpResponse<String>> future = pending(wrapped());
    CompletableFuture<Throwable> seen = look.at(future);
    future.cancel(true);
    boolean derives =
        switch (look) {
          case EXCEPTIONALLY, THEN_APPLY_HANDLE, THEN_COMPOSE_HANDLE -> true;
          default -> false;
        };
    Throwable thrown = seen.get(10, TimeUnit.SECONDS);
    if (derives) {
      assertSame(CompletionException.class, thrown.getClass());
      thrown = thrown.getCause();
    }
    assertSame(CancellationException.class, thrown.getClass());
  }

  // ---- outside completion that plain refuses

  private CompletableFuture<HttpResponse<String>> pending(HttpClient client) {
    bench.server.defaultReply(Reply.stallAfterRequest());
    return client.sendAsync(bench.put("a"), BodyHandlers.ofString());
  }

  private void isAsPlain(Function<CompletableFuture<HttpResponse<String>>, ?> use) {
    CompletableFuture<HttpResponse<String>> ofPlain = pending(plain);
    CompletableFuture<HttpResponse<String>> ours = pending(wrapped());
    try {
      assertEquals(
          text(Look.thrownBy(() -> use.apply(ofPlain))),
          text(Look.thrownBy(() -> use.apply(ours))));
    } finally {
      ofPlain.cancel(true);
      ours.cancel(true);
    }
  }

  @Test
  void obtrudingAValueIsRefusedAsPlain() {
    isAsPlain(future -> {
      future.obtrudeValue(null);
      return null;
    });
  }

  @Test
  void obtrudingAnExceptionIsRefusedAsPlain() {
    isAsPlain(future -> {
      future.obtrudeException(new IllegalStateException("mine"));
      return null;
    });
  }

  @Test
  void obtrudingIntoADerivedFutureIsRefusedAsPlain() {
    isAsPlain(future -> {
      CompletableFuture<HttpResponse<String>> derived = future.thenApply(each -> each);
      try {
        derived.obtrudeValue(null);
      } finally {
        derived.cancel(true);
      }
      return null;
    });
  }
}
