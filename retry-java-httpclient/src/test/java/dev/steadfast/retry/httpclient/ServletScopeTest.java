package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.server.ServletScope;
import dev.steadfast.retry.tck.Reply;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is the servlet containers' own: when a response is committed, asynchronous requests. */
class ServletScopeTest {
  private final Bench bench = new Bench();
  private final RetryingHttpClient below = bench.client();
  private final Front.Running probe = new Front.Running();
  private Jetty jetty = new Jetty().filter(probe.servletProbe());

  @AfterEach
  void close() throws Exception {
    jetty.close();
    bench.close();
  }

  private interface Handling {
    void handle(HttpServletRequest request, HttpServletResponse response) throws Exception;
  }

  private void serve(Handling handling) throws Exception {
    ScopeOptions options = ScopeOptions.builder().environment(bench.time.environment()).build();
    serve(ServletScope.of(options, request -> null), handling);
  }

  private void serve(ServletScope filter, Handling handling) throws Exception {
    jetty =
        jetty
            .filter(filter)
            .servlet(
                new HttpServlet() {
                  @Override
                  protected void service(HttpServletRequest request, HttpServletResponse response)
                      throws IOException {
                    try {
                      handling.handle(request, response);
                    } catch (IOException | RuntimeException failure) {
                      throw failure;
                    } catch (Exception failure) {
                      throw new IOException(failure);
                    }
                  }
                })
            .start();
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(jetty.uri());
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return Bench.plain().build().send(request.build(), BodyHandlers.ofString());
  }

  private void callThatGivesUp() throws Exception {
    bench.server.enqueue(Reply.status(503), Reply.status(503), Reply.status(503));
    below.send(bench.get(), BodyHandlers.discarding());
    assertTrue(RetryScope.current().orElseThrow().gaveUp());
  }

  /** The ways of a servlet to fail; the calls give up somewhere on each. */
  enum Way {
    STATUS_ALONE(503) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        test.callThatGivesUp();
        response.setStatus(503);
      }
    },
    STATUS_BEFORE_THE_CALL(503) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        response.setStatus(503);
        test.callThatGivesUp();
      }
    },
    STATUS_BEFORE_THE_CALL_THEN_TEXT(503) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        response.setStatus(503);
        test.callThatGivesUp();
        response.getWriter().print("sorry");
        response.getWriter().close();
      }
    },
    STATUS_BEFORE_THE_CALL_THEN_BYTES(503) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        response.setStatus(503);
        test.callThatGivesUp();
        response.getOutputStream().write(new byte[100_000]);
      }
    },
    STATUS_BEFORE_THE_CALL_THEN_FLUSH(503) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        response.setStatus(503);
        test.callThatGivesUp();
        response.flushBuffer();
      }
    },
    ERROR(502) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        test.callThatGivesUp();
        response.sendError(502);
      }
    },
    ERROR_WITH_A_MESSAGE(502) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        test.callThatGivesUp();
        response.sendError(502, "sorry");
      }
    },
    EXCEPTION(500) {
      @Override
      void fail(HttpServletResponse response, ServletScopeTest test) throws Exception {
        test.callThatGivesUp();
        throw new IllegalStateException("on purpose");
      }
    };

    private final int status;

    Way(int status) {
      this.status = status;
    }

    abstract void fail(HttpServletResponse response, ServletScopeTest test) throws Exception;
  }

  @ParameterizedTest
  @EnumSource
  void whatGaveUp_isSaidHoweverTheServletFails(Way way) throws Exception {
    serve((request, response) -> way.fail(response, this));

    HttpResponse<String> response = send(request());

    assertEquals(way.status, response.statusCode());
    assertEquals(List.of("false"), response.headers().allValues("x-should-retry"));
    assertEquals(List.of(), probe.leaks);
  }

  @Test
  void aSuccessThatFollowsAFailedStatus_saysNothing() throws Exception {
    serve((request, response) -> {
      callThatGivesUp();
      response.setStatus(503);
      response.setStatus(200); // something else will do
      response.getWriter().print("from the cache");
    });

    HttpResponse<String> response = send(request());

    assertEquals(200, response.statusCode());
    assertEquals(Optional.empty(), response.headers().firstValue("x-should-retry"));
  }

  @Test
  void aStatusThatIsSetWhenTheBodyHasBegun_isTheLastMoment() throws Exception {
    serve((request, response) -> {
      callThatGivesUp();
      OutputStream out = response.getOutputStream();
      response.setStatus(503);
      out.write(new byte[100_000]);
    });

    HttpResponse<String> response = send(request());

    assertEquals(503, response.statusCode());
    assertEquals(Optional.of("false"), response.headers().firstValue("x-should-retry"));
  }

  @Test
  void responseThatIsCommitted_staysAsItIs() throws Exception {
    serve((request, response) -> {
      response.setStatus(503);
      response.flushBuffer();
      callThatGivesUp();
      response.getWriter().print("sorry");
    });

    HttpResponse<String> response = send(request());

    assertEquals("sorry", response.body());
    assertEquals(Optional.empty(), response.headers().firstValue("x-should-retry"));
  }

  @Test
  void standardFilter_derivesKeysForTheAuthenticatedUser() throws Exception {
    RetryingHttpClient keyed =
        bench
            .client(bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()))
            .with(RetryOptions.builder().derivedKey("reserve").build());
    jetty.basicAuthentication("alice", "bob");
    serve(
        new ServletScope(),
        (request, response) -> keyed.send(bench.post("1"), BodyHandlers.discarding()));

    for (String user : List.of("alice", "alice", "bob")) {
      String credentials =
          Base64.getEncoder().encodeToString((user + ":" + user).getBytes(US_ASCII));
      HttpRequest.Builder request = request().POST(BodyPublishers.noBody());
      request.header("Authorization", "Basic " + credentials).header("Idempotency-Key", "order-1");
      assertEquals(200, send(request).statusCode());
    }

    List<String> keys =
        bench.server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElseThrow())
            .toList();
    assertEquals(keys.get(0), keys.get(1));
    assertEquals(2, Set.copyOf(keys).size());
  }

  @Test
  void standardFilter_derivesNoKeyForNobody() throws Exception {
    CompletableFuture<Optional<String>> parent = new CompletableFuture<>();
    serve(
        new ServletScope(),
        (request, response) -> parent.complete(RetryScope.current().orElseThrow().parentKey()));

    send(request().header("Idempotency-Key", "order-1"));

    assertEquals(Optional.empty(), parent.get());
  }

  // ---- asynchronous servlets

  @Test
  void wrappedTask_carriesTheScope_andNothingStaysBehind() throws Exception {
    Set<Thread> dispatched = new HashSet<>();
    List<Boolean> wrapped = new CopyOnWriteArrayList<>();
    List<Boolean> bare = new CopyOnWriteArrayList<>();
    ExecutorService one = Executors.newSingleThreadExecutor();
    try {
      serve((request, response) -> {
        dispatched.add(Thread.currentThread());
        AsyncContext async = request.startAsync(request, response);
        one.execute(
            RetryScope.wrap(() -> {
              try {
                wrapped.add(RetryScope.current().orElseThrow().doNotRetry());
                callThatGivesUpUnlessTold(response);
              } finally {
                async.complete();
              }
            }));
        one.execute(() -> bare.add(RetryScope.current().isPresent()));
      });

      HttpResponse<String> told = send(request().header("Do-Not-Retry", "true"));
      HttpResponse<String> own = send(request());

      assertEquals(Optional.empty(), told.headers().firstValue("x-should-retry"));
      assertEquals(Optional.of("false"), own.headers().firstValue("x-should-retry"));
      assertEquals(4, bench.server.requests().size());
      one.submit(() -> {}).get();
      assertEquals(List.of(true, false), wrapped);
      assertEquals(List.of(false, false), bare);
      assertEquals(List.of(), probe.leaks);
      assertFalse(dispatched.isEmpty());
    } finally {
      one.shutdownNow();
    }
  }

  private void callThatGivesUpUnlessTold(HttpServletResponse response) {
    bench.server.enqueue(Reply.status(503));
    if (!RetryScope.current().orElseThrow().doNotRetry()) {
      bench.server.enqueue(Reply.status(503), Reply.status(503));
    }
    try {
      response.setStatus(below.send(bench.get(), BodyHandlers.discarding()).statusCode());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void dispatchBackToTheContainer_goesOnWithTheScope_andItsTime() throws Exception {
    List<Duration> remaining = new CopyOnWriteArrayList<>();
    serve((request, response) -> {
      RetryScope scope = RetryScope.current().orElseThrow();
      remaining.add(scope.remaining().orElseThrow());
      if (request.getDispatcherType() == DispatcherType.REQUEST) {
        bench.time.advance(Duration.ofSeconds(2));
        request.startAsync().dispatch();
        return;
      }
      callThatGivesUp();
      response.setStatus(503);
    });

    HttpResponse<String> response = send(request().header("X-Request-Timeout-Ms", "5000"));

    assertEquals(List.of(Duration.ofSeconds(5), Duration.ofSeconds(3)), remaining);
    assertEquals(Optional.of("false"), response.headers().firstValue("x-should-retry"));
    assertEquals(List.of(), probe.leaks);
  }
}
