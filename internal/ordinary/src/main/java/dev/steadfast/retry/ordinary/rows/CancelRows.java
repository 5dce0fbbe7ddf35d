package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Text;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Response;

/** Calls that are cancelled, and threads that are interrupted. */
final class CancelRows {
  private static final String CANCELLED =
      "a call that is cancelled on the wire ends at once, with IOException: Canceled; plain OkHttp"
          + " ends with what the closed socket throws";

  private CancelRows() {}

  static List<Row> rows() {
    return Stream.of(okHttp(), jdk()).flatMap(rows -> rows).toList();
  }

  private static Stream<Row> okHttp() {
    return Stream.of(
        Row.named("cancel: before the call begins")
            .differs("events", RetrofitRows.CANCELLED, Entry.FACTORY_EXECUTE, Entry.FACTORY_ENQUEUE)
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/").build());
              call.cancel();
              client.run().note("call", "cancelled " + call.isCanceled());
              client.call(call);
            }),
        Row.named("cancel: while the head is awaited")
            .withoutEvents()
            .differs("result", CANCELLED)
            .answers(Exchange::awaitGate)
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/").build());
              Thread other = cancels(client, call);
              client.call(call);
              other.join();
              client.run().note("call", "cancelled " + call.isCanceled());
            }),
        Row.named("cancel: while the body is read")
            .answers(CancelRows::half)
            .ways(Way.EXECUTE)
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/").build());
              try (Response response = call.execute()) {
                client.head(response);
                response.body().source().readByte();
                call.cancel();
                client.run().note("result", response.body().source().readByte());
              } catch (java.io.IOException e) {
                client.run().note("result", Text.of(e));
              }
            }),
        Row.named("cancel: after the answer was read")
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/").build());
              client.call(call);
              call.cancel();
              client.run().note("call", "cancelled " + call.isCanceled());
              client.get("/after");
            }),
        Row.named("cancel: all of the dispatcher")
            .withoutEvents()
            .differs("result", CANCELLED)
            .answers(Exchange::awaitGate)
            .okHttp(client -> {
              Thread other =
                  new Thread(() -> {
                    arrived(client);
                    client.client().dispatcher().cancelAll();
                  });
              other.start();
              client.get("/");
              other.join();
            }),
        Row.named("cancel: an interrupt while the head is awaited")
            .withoutEvents()
            .answers(Exchange::awaitGate)
            .ways(Way.EXECUTE)
            .okHttp(client -> {
              Thread caller = Thread.currentThread();
              Thread other =
                  new Thread(() -> {
                    arrived(client);
                    caller.interrupt();
                    client.run().wire().openGate();
                  });
              other.start();
              try (Response response =
                  client.calls().newCall(client.request("/").build()).execute()) {
                client.run().note("result", response.code());
              } catch (java.io.IOException e) {
                client.run().note("interrupted", "IOException");
              }
              client.run().note("interrupted", Thread.interrupted());
              other.join();
            }),
        Row.named("a call is executed twice")
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/").build());
              client.call(call);
              client.call(call);
            }),
        Row.named("a call that is cloned")
            .okHttp(client -> {
              Call call = client.calls().newCall(client.request("/").tag("tag").build());
              client.call(call.clone());
              client.call(call);
              client.call(call.clone());
              client.run().note("call", call.request().url() + " " + call.request().tag());
              client.run().note("call", call.timeout().timeoutNanos());
              client.run().note("call", call.isExecuted() + " " + call.clone().isExecuted());
            }));
  }

  private static void half(Exchange exchange) throws java.io.IOException, InterruptedException {
    exchange.raw(Exchange.head(200, "Content-Length: 10") + "half");
    exchange.awaitGate();
  }

  private static Thread cancels(OkClient client, Call call) {
    Thread other =
        new Thread(() -> {
          arrived(client);
          call.cancel();
        });
    other.start();
    return other;
  }

  private static void arrived(OkClient client) {
    try {
      client.run().wire().awaitRequests(1);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<Row> jdk() {
    return Stream.of(
        Row.named("cancel: a future while the head is awaited")
            .answers(Exchange::awaitGate)
            .ways(Way.SEND_ASYNC)
            .jdk(client -> {
              CompletableFuture<HttpResponse<String>> future =
                  client.http().sendAsync(client.request("/").build(), BodyHandlers.ofString());
              client.run().wire().awaitRequests(1);
              future.cancel(true);
              client.run().note("result", "done " + future.isDone());
              try {
                future.join();
              } catch (CancellationException e) {
                client.run().note("result", "cancelled");
              } catch (CompletionException e) {
                boolean cancelled = e.getCause() instanceof CancellationException;
                client.run().note("result", cancelled ? "cancelled" : e);
              }
            }),
        Row.named("cancel: a future that was derived")
            .answers(Exchange::awaitGate)
            .ways(Way.SEND_ASYNC)
            .jdk(client -> {
              CompletableFuture<Integer> future =
                  client
                      .http()
                      .sendAsync(client.request("/").build(), BodyHandlers.ofString())
                      .thenApply(HttpResponse::statusCode);
              client.run().wire().awaitRequests(1);
              client.run().note("result", future.cancel(true));
              // Whether a plain one then counts as cancelled is chance: the end of the exchange may
              // reach it first.
              client.run().note("result", future.isCompletedExceptionally());
            }),
        Row.named("cancel: an interrupt of send")
            .answers(Exchange::awaitGate)
            .ways(Way.SEND)
            .jdk(client -> {
              Thread caller = Thread.currentThread();
              CountDownLatch done = new CountDownLatch(1);
              Thread other =
                  new Thread(() -> {
                    try {
                      client.run().wire().awaitRequests(1);
                      caller.interrupt();
                      dev.steadfast.retry.ordinary.Run.await(done);
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  });
              other.start();
              client.get("/");
              client.run().note("interrupted", Thread.interrupted());
              done.countDown();
              other.join();
            }));
  }
}
