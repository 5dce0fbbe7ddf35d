package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Setting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/** Compression, up and down. */
final class GzipRows {
  private GzipRows() {}

  static List<Row> rows() {
    return List.of(
        Row.named("gzip: transparent in the answer")
            .answers(exchange ->
                exchange.reply(200, gzip(Bodies.bytes(100_000)), "Content-Encoding: gzip"))
            .program(client -> client.get("/")),
        Row.named("gzip: asked for by the caller, so not decoded")
            .answers(exchange -> exchange.reply(200, gzip(new byte[99]), "Content-Encoding: gzip"))
            .program(client -> client.get("/", "Accept-Encoding: gzip")),
        Row.named("gzip: an answer of a HEAD")
            .answers(exchange -> exchange.reply(200, new byte[0], "Content-Encoding: gzip"))
            .program(client -> client.send("HEAD", "/", "")),
        Row.named("gzip: a broken answer")
            .answers(exchange -> exchange.reply(200, "not gzip", "Content-Encoding: gzip"))
            .program(client -> client.get("/")),
        Row.named("gzip: of OkHttp's request builder, small")
            .okHttp(client -> client.call(builderGzip(client.request("/"), 99)))
            .only(Setting.OKHTTP_5),
        Row.named("gzip: of OkHttp's request builder, large")
            .okHttp(client -> client.call(builderGzip(client.request("/"), 200_000)))
            .only(Setting.OKHTTP_5),
        interceptor("gzip: interceptor before, small", 99)
            .okHttpClient((builder, run) -> builder.addInterceptor(new Gzip())),
        interceptor("gzip: interceptor before, large", 200_000)
            .okHttpClient((builder, run) -> builder.addInterceptor(new Gzip())),
        interceptor("gzip: interceptor after", 200_000)
            .okHttpClientAfter((builder, run) -> builder.addInterceptor(new Gzip())));
  }

  private static Row interceptor(String name, int length) {
    return Row.named(name)
        .okHttp(client ->
            client.call(
                client
                    .request("/")
                    .post(RequestBody.create(new byte[length], Bodies.BINARY))
                    .build()));
  }

  /** By reflection, because OkHttp 4 has no such method. */
  private static Request builderGzip(Request.Builder builder, int length) throws Exception {
    builder.post(RequestBody.create(Bodies.bytes(length), Bodies.BINARY));
    Request.Builder.class.getMethod("gzip").invoke(builder);
    return builder.build();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(all)) {
      gzip.write(bytes);
    }
    return all.toByteArray();
  }

  /** The interceptor of OkHttp's own guide. */
  private static final class Gzip implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      Request request = chain.request();
      RequestBody body = request.body();
      if (body == null || request.header("Content-Encoding") != null) {
        return chain.proceed(request);
      }
      return chain.proceed(
          request
              .newBuilder()
              .header("Content-Encoding", "gzip")
              .method(request.method(), compressed(body))
              .build());
    }

    private static RequestBody compressed(RequestBody body) {
      return new RequestBody() {
        @Override
        public okhttp3.@Nullable MediaType contentType() {
          return body.contentType();
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
          try (BufferedSink gzip = Okio.buffer(new GzipSink(sink))) {
            body.writeTo(gzip);
          }
        }
      };
    }
  }
}
