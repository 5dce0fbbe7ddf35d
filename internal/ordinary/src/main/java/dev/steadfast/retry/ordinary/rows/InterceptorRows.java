package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import dev.steadfast.retry.ordinary.Text;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;

/** Interceptors that read and replace what passes by: each before, after, and on the network. */
final class InterceptorRows {
  private InterceptorRows() {}

  /** Makes an interceptor for a run. */
  @FunctionalInterface
  interface Made {
    Interceptor in(Run run);
  }

  static List<Row> rows() {
    return Stream.of(
            everywhere("sees", run -> chain -> sees(run, chain), 10),
            everywhere("sees a large body", run -> chain -> sees(run, chain), 100_000)
                .map(InterceptorRows::seesWatchedBody),
            everywhere("reads the body, as a log does", run -> chain -> reads(run, chain), 100_000),
            everywhere("replaces headers", run -> InterceptorRows::replacesHeaders, 10),
            application("replaces the body", run -> InterceptorRows::replacesBody),
            application("replaces the answer", run -> InterceptorRows::replacesAnswer),
            application("answers by itself", run -> InterceptorRows::answers),
            application("changes timeouts", run -> InterceptorRows::timeouts),
            application("proceeds twice", run -> InterceptorRows::twice),
            application("throws an IOException", run -> InterceptorRows::fails),
            application("throws a RuntimeException", run -> InterceptorRows::crashes),
            application("throws after the answer", run -> InterceptorRows::failsAfter))
        .flatMap(rows -> rows)
        .toList();
  }

  private static Row seesWatchedBody(Row row) {
    return row.name().endsWith("on the network, added after")
        ? row.differs(
            "interceptor",
            "a network interceptor that you add after addTo sees a wrapper of a body that is watched",
            Entry.INTERCEPTOR_EXECUTE,
            Entry.INTERCEPTOR_ENQUEUE)
        : row;
  }

  private static Stream<Row> everywhere(String name, Made made, int length) {
    Row onNetwork =
        row(name + ", on the network", length)
            .okHttpClient((builder, run) -> builder.addNetworkInterceptor(made.in(run)));
    Row onNetworkAfter =
        row(name + ", on the network, added after", length)
            .okHttpClientAfter((builder, run) -> builder.addNetworkInterceptor(made.in(run)));
    return Stream.concat(application(name, made, length), Stream.of(onNetwork, onNetworkAfter));
  }

  private static Stream<Row> application(String name, Made made) {
    return application(name, made, 10);
  }

  private static Stream<Row> application(String name, Made made, int length) {
    return Stream.of(
        row(name + ", before", length)
            .okHttpClient((builder, run) -> builder.addInterceptor(made.in(run))),
        row(name + ", after", length)
            .okHttpClientAfter((builder, run) -> builder.addInterceptor(made.in(run))));
  }

  private static Row row(String name, int length) {
    byte[] bytes = "x".repeat(length).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    boolean fails = name.startsWith("throws");
    Row row =
        Row.named("interceptor: " + name)
            .answers(exchange -> exchange.reply(200, "ok", "X-Server: 1"))
            .okHttp(client -> {
              call(client, client.request("/get").build());
              call(client, client.request("/post").post(body(bytes)).build());
            });
    return fails ? row.policies(Policy.ONCE) : row;
  }

  private static RequestBody body(byte[] bytes) {
    return RequestBody.create(bytes, Bodies.TEXT);
  }

  private static void call(OkClient client, Request request) throws IOException {
    client.call(request.newBuilder().tag(StringBuilder.class, new StringBuilder("tag")).build());
  }

  private static Response sees(Run run, Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    RequestBody body = request.body();
    String kind = body == null ? "no body" : OkClient.kind(body) + " of " + body.contentLength();
    run.note("interceptor", request.method() + " " + request.url() + ", " + kind);
    run.note("interceptor", "headers " + names(request));
    run.note("interceptor", "tag " + request.tag(StringBuilder.class));
    run.note("interceptor", "the call's: " + chain.call().request().method());
    run.note("interceptor", "cancelled " + chain.call().isCanceled());
    run.note("interceptor", "connection: " + (chain.connection() != null));
    run.note(
        "interceptor",
        chain.connectTimeoutMillis()
            + ", "
            + chain.readTimeoutMillis()
            + ", "
            + chain.writeTimeoutMillis()
            + ", call "
            + chain.call().timeout().timeoutNanos());
    Response response = chain.proceed(request);
    run.note("interceptor", response.code() + " " + response.headers().names());
    run.note("interceptor", "prior " + (response.priorResponse() != null));
    return response;
  }

  private static Set<String> names(Request request) {
    Set<String> names = new TreeSet<>(request.headers().names());
    names.remove("Idempotency-Key"); // asked for, and compared on the wire
    return names;
  }

  private static Response reads(Run run, Interceptor.Chain chain) throws IOException {
    RequestBody body = chain.request().body();
    if (body != null && !body.isOneShot()) {
      Buffer buffer = new Buffer();
      body.writeTo(buffer);
      run.note("interceptor", "sends " + Text.of(buffer.readByteArray()));
    }
    Response response = chain.proceed(chain.request());
    try (ResponseBody peeked = response.peekBody(1_000)) {
      run.note("interceptor", "peeks " + Text.of(peeked.bytes()));
    }
    return response;
  }

  private static Response replacesHeaders(Interceptor.Chain chain) throws IOException {
    Request request = chain.request().newBuilder().header("X-By", "me").build();
    return chain.proceed(request).newBuilder().header("X-Answer", "mine").build();
  }

  private static Response replacesBody(Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    return chain.proceed(
        request.body() == null
            ? request
            : request.newBuilder().method("POST", RequestBody.create("other", null)).build());
  }

  private static Response replacesAnswer(Interceptor.Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    String text = response.body().string();
    return response
        .newBuilder()
        .code(299)
        .message("mapped")
        .body(ResponseBody.create(text + "!", MediaType.get("text/plain")))
        .build();
  }

  private static Response answers(Interceptor.Chain chain) {
    return new Response.Builder()
        .request(chain.request())
        .protocol(okhttp3.Protocol.HTTP_1_1)
        .code(200)
        .message("by itself")
        .body(ResponseBody.create("mock", null))
        .build();
  }

  private static Response timeouts(Interceptor.Chain chain) throws IOException {
    return chain
        .withReadTimeout(20, TimeUnit.SECONDS)
        .withWriteTimeout(21, TimeUnit.SECONDS)
        .withConnectTimeout(22, TimeUnit.SECONDS)
        .proceed(chain.request());
  }

  private static Response twice(Interceptor.Chain chain) throws IOException {
    chain.proceed(chain.request()).close();
    return chain.proceed(chain.request());
  }

  private static Response fails(Interceptor.Chain chain) throws IOException {
    throw new IOException("interceptor of " + chain.request().method());
  }

  private static Response crashes(Interceptor.Chain chain) {
    throw new IllegalStateException("interceptor of " + chain.request().method());
  }

  private static Response failsAfter(Interceptor.Chain chain) throws IOException {
    chain.proceed(chain.request()).close();
    throw new IOException("interceptor of " + chain.request().method());
  }
}
