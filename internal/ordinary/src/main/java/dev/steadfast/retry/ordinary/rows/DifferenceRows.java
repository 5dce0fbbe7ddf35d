package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;

/** What the wrapped clients do otherwise on purpose, and no other row shows. */
final class DifferenceRows {
  private static final String TOTAL_TIMEOUT = "a total timeout of 30 s bounds each operation";
  private static final String OTHER_BYTES =
      "a request body that yields other bytes when it is read again";

  private DifferenceRows() {}

  static List<Row> rows() {
    return List.of(totalTimeout(), otherBytes(), sameCall(), bodyOfEvents());
  }

  /** Scaled down: 300 ms instead of 30 s. */
  private static Row totalTimeout() {
    return Row.named("difference: a head that takes longer than the total timeout")
        .policies(Policy.DEFAULTS)
        .withoutEvents()
        .withoutServer()
        .retry(builder ->
            builder.policy(RetryPolicy.builder().totalTimeout(Duration.ofMillis(300)).build()))
        .answers(exchange -> {
          if (new CountDownLatch(1).await(900, TimeUnit.MILLISECONDS)) {
            throw new AssertionError();
          }
          exchange.reply(200, "late");
        })
        .endsOtherwise(TOTAL_TIMEOUT)
        .program(client -> client.get("/"));
  }

  /** A stream that can be read once, and says nothing of it. */
  private static Row otherBytes() {
    byte[] bytes = Bodies.bytes(100_000);
    return Row.named("difference: a body that is empty after a redirect")
        .policies(Policy.DEFAULTS)
        .withoutEvents()
        .withoutServer()
        .answers(DifferenceRows::redirect)
        .jdkClient((builder, run) -> builder.followRedirects(Redirect.ALWAYS))
        .endsOtherwise(OTHER_BYTES)
        .okHttp(client -> {
          Buffer source = new Buffer().write(bytes);
          RequestBody body = Bodies.writing(sink -> sink.writeAll(source));
          client.call(client.request("/").post(body).build());
        })
        .jdk(client -> {
          ByteArrayInputStream source = new ByteArrayInputStream(bytes);
          client.send(
              client.request("/").POST(BodyPublishers.ofInputStream(() -> source)).build(),
              BodyHandlers.ofString());
        });
  }

  private static void redirect(Exchange exchange) throws IOException {
    if (exchange.number() == 1) {
      exchange.reply(307, "", "Location: /new");
    } else {
      exchange.reply(200, "here");
    }
  }

  private static Row sameCall() {
    Queue<Call> calls = new ConcurrentLinkedQueue<>();
    return Row.named("difference: the call that an interceptor sees")
        .okHttpClient((builder, run) ->
            builder.addInterceptor(chain -> {
              calls.add(chain.call());
              return chain.proceed(chain.request());
            }))
        .differs(
            "call",
            "each attempt is a call of OkHttp's own",
            Entry.FACTORY_EXECUTE,
            Entry.FACTORY_ENQUEUE)
        .okHttp(client -> {
          Call call = client.calls().newCall(client.request("/").build());
          client.call(call);
          client.run().note("call", "the interceptor's: " + calls.remove(call));
        });
  }

  private static Row bodyOfEvents() {
    return Row.named("difference: the body that an event listener sees")
        .withoutEvents()
        .okHttpClient((builder, run) -> builder.eventListener(new BodyKinds(run)))
        .differs("listener", "an event listener gets a wrapper of a body that is watched")
        .okHttp(client ->
            client.call(
                client
                    .request("/")
                    .post(RequestBody.create(Bodies.bytes(100_000), Bodies.BINARY))
                    .build()));
  }

  /** Notes the class of each body. */
  private static final class BodyKinds extends EventListener {
    private final Run run;

    BodyKinds(Run run) {
      this.run = run;
    }

    @Override
    public void requestHeadersEnd(Call call, Request request) {
      RequestBody body = request.body();
      run.note("listener", body == null ? "none" : OkClient.kind(body));
    }
  }
}
