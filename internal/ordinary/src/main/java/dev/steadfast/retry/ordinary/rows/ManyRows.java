package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Text;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.future.FutureKt;
import okhttp3.RequestBody;
import reactor.core.publisher.Mono;

/** Many calls at once, and the types of asynchronous libraries. */
final class ManyRows {
  private ManyRows() {}

  static List<Row> rows() {
    return Stream.of(many(), async()).flatMap(rows -> rows).toList();
  }

  private static Stream<Row> many() {
    return Stream.of(
        Row.named("50 calls at once, enqueued")
            .ways(Way.ENQUEUE)
            .unordered()
            .answers(exchange -> exchange.reply(200, exchange.target()))
            .okHttp(client -> {
              List<CountDownLatch> done = new ArrayList<>();
              for (int i = 0; i < 50; i++) {
                var body = RequestBody.create("body " + i, Bodies.TEXT);
                done.add(
                    client.enqueue(
                        client.calls().newCall(client.request("/" + i).put(body).build())));
              }
              for (CountDownLatch each : done) {
                OkClient.await(each);
              }
            }),
        Row.named("50 calls at once, on threads of the user")
            .ways(Way.EXECUTE, Way.SEND)
            .unordered()
            .answers(exchange -> exchange.reply(200, exchange.target()))
            .program(client -> {
              List<Thread> threads =
                  IntStream.range(0, 50)
                      .mapToObj(i ->
                          new Thread(() -> {
                            try {
                              client.send("POST", "/" + i, "body " + i);
                            } catch (Exception e) {
                              client.run().note("result", e);
                            }
                          }))
                      .toList();
              threads.forEach(Thread::start);
              for (Thread thread : threads) {
                thread.join();
              }
            }),
        Row.named("50 futures at once")
            .ways(Way.SEND_ASYNC)
            .unordered()
            .answers(exchange -> exchange.reply(200, exchange.target()))
            .jdk(client -> {
              List<CompletableFuture<HttpResponse<String>>> futures = new ArrayList<>();
              for (int i = 0; i < 50; i++) {
                futures.add(
                    client
                        .http()
                        .sendAsync(client.request("/" + i).build(), BodyHandlers.ofString()));
              }
              for (CompletableFuture<HttpResponse<String>> each : futures) {
                client.answered(each.get());
              }
            }),
        Row.named("20 calls, one after the other, on two connections at most")
            .program(client -> {
              for (int i = 0; i < 20; i++) {
                client.send(i % 3 == 0 ? "POST" : "GET", "/" + i, "body " + i);
              }
            }),
        Row.named("a call on a thread of a fork-join pool")
            .ways(Way.EXECUTE, Way.SEND)
            .program(client -> {
              ForkJoinPool pool = new ForkJoinPool(1);
              pool.submit(
                      () -> {
                        client.get("/1");
                        client.send("POST", "/2", "text");
                        return null;
                      })
                  .get();
              pool.shutdown();
            }));
  }

  private static Row held(String name) {
    return Row.named(name)
        .ways(Way.SEND_ASYNC)
        .answers(exchange -> {
          exchange.awaitGate();
          exchange.reply(200, "ok");
        });
  }

  private static Stream<Row> async() {
    return Stream.of(
        held("future: thenApply and thenCompose, and their threads")
            .jdk(client -> {
              Thread caller = Thread.currentThread();
              CompletableFuture<String> future =
                  client
                      .http()
                      .sendAsync(client.request("/").build(), BodyHandlers.ofString())
                      .thenApply(response -> {
                        String kind = Text.kind(Thread.currentThread(), caller);
                        client.run().note("callbacks", "thenApply on " + kind);
                        return response.body();
                      })
                      .thenCompose(CompletableFuture::completedFuture);
              client.run().wire().openGate();
              client.run().note("result", future.get());
            }),
        held("future: exceptionally")
            .answers(exchange -> exchange.raw("HUH\r\n\r\n"))
            .policies(dev.steadfast.retry.ordinary.Policy.ONCE)
            .jdk(client ->
                client
                    .run()
                    .note(
                        "result",
                        client
                            .http()
                            .sendAsync(client.request("/").build(), BodyHandlers.ofString())
                            .thenApply(HttpResponse::body)
                            .exceptionally(thrown -> thrown.getClass() + " of " + Text.of(thrown))
                            .get())),
        held("future: orTimeout")
            .jdk(client ->
                client
                    .http()
                    .sendAsync(client.request("/").build(), BodyHandlers.ofString())
                    .orTimeout(300, java.util.concurrent.TimeUnit.MILLISECONDS)
                    .handle((response, thrown) -> {
                      client.run().note("result", thrown);
                      return null;
                    })
                    .get()),
        Row.named("Reactor: a Mono of a future")
            .ways(Way.SEND_ASYNC)
            .jdk(client ->
                client
                    .run()
                    .note(
                        "result",
                        Mono.fromFuture(() ->
                                client
                                    .http()
                                    .sendAsync(
                                        client.request("/").build(), BodyHandlers.ofString()))
                            .map(HttpResponse::body)
                            .block())),
        Row.named("Kotlin: a coroutine awaits a future")
            .ways(Way.SEND_ASYNC)
            .jdk(client -> {
              Object answer =
                  run((scope, then) ->
                      FutureKt.await(
                          client
                              .http()
                              .sendAsync(client.request("/").build(), BodyHandlers.ofString()),
                          then));
              client.answered((HttpResponse<?>) answer);
            }));
  }

  private static Object run(Function2<CoroutineScope, Continuation<? super Object>, Object> work)
      throws InterruptedException {
    return BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, work);
  }
}
