package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.ApacheClient;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import dev.steadfast.retry.ordinary.Setting;
import dev.steadfast.retry.ordinary.Text;
import dev.steadfast.retry.ordinary.WireServer;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.entity.GzipCompressingEntity;
import org.apache.hc.client5.http.entity.UrlEncodedFormEntity;
import org.apache.hc.client5.http.entity.mime.MultipartEntityBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.BufferedHttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.io.entity.FileEntity;
import org.apache.hc.core5.http.io.entity.HttpEntities;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.io.entity.SerializableEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.http.message.BasicNameValuePair;
import org.apache.hc.core5.io.IOCallback;
import org.apache.hc.core5.util.Timeout;

/** Apache HttpClient 5: entities, and what programs do with requests, responses and the pool. */
final class ApacheRows {
  private ApacheRows() {}

  static List<Row> rows() {
    return Stream.of(entities(), expectations(), responses(), pools(), ends(), threads())
        .flatMap(rows -> rows)
        .toList();
  }

  private static Row entity(String name, Callable<HttpEntity> entity) {
    return Row.named("entity: " + name)
        .answers(exchange -> exchange.reply(201, "made"))
        .apache(client ->
            client.send(client.request("POST", "/", entity.call()), HttpClientContext.create()));
  }

  private static Stream<Row> entities() {
    byte[] bytes = Bodies.bytes(100_000);
    return Stream.of(
        entity("none", () -> null),
        entity("StringEntity", () -> new StringEntity("h\u00e9llo", StandardCharsets.UTF_8)),
        entity("StringEntity, empty", () -> new StringEntity("")),
        entity("ByteArrayEntity", () -> new ByteArrayEntity(bytes, ContentType.IMAGE_PNG)),
        entity(
            "ByteArrayEntity, a part, chunked",
            () -> new ByteArrayEntity(bytes, 5, 777, ContentType.IMAGE_PNG, "x", true)),
        entity("InputStreamEntity", () -> stream(bytes, -1)),
        entity("InputStreamEntity with a length", () -> stream(bytes, bytes.length)),
        entity("BufferedHttpEntity", () -> new BufferedHttpEntity(stream(bytes, -1))),
        entity("FileEntity", () -> new FileEntity(file(bytes), ContentType.IMAGE_PNG)),
        entity("SerializableEntity", () -> new SerializableEntity("a string", null)),
        entity(
            "EntityTemplate",
            () -> new EntityTemplate(-1, ContentType.TEXT_PLAIN, "x", out -> out.write(bytes))),
        entity(
            "UrlEncodedFormEntity",
            () -> new UrlEncodedFormEntity(List.of(new BasicNameValuePair("n", "v w")))),
        entity("GzipCompressingEntity", () -> new GzipCompressingEntity(new StringEntity("text"))),
        entity(
            "multipart",
            () ->
                MultipartEntityBuilder.create()
                    .addTextBody("a", "b")
                    .addBinaryBody("file", bytes, ContentType.IMAGE_PNG, "a.png")
                    .build()),
        entity(
            "with trailers",
            () ->
                HttpEntities.create("text", ContentType.TEXT_PLAIN, new BasicHeader("X-End", "1"))),
        entity(
            "1 MiB of zeros from a stream",
            () -> new InputStreamEntity(Bodies.zeros(1 << 20), null)),
        entity(
                "200 MiB of zeros from a stream",
                () -> new InputStreamEntity(Bodies.zeros(200 << 20), null))
            .policies(Policy.DEFAULTS)
            .slow(),
        Row.named("entity: a header of the caller's beats that of the entity")
            .apache(client -> {
              HttpUriRequestBase post =
                  client.request("POST", "/", new StringEntity("{}", ContentType.TEXT_PLAIN));
              post.setHeader("Content-Type", "application/json");
              client.send(post, HttpClientContext.create());
            }),
        Row.named("entity: on a GET")
            .apache(client ->
                client.send(
                    client.request("GET", "/", new StringEntity("query")),
                    HttpClientContext.create())),
        failing(
            "that throws",
            out -> {
              throw new IOException("no body");
            }),
        failing(
            "that throws a RuntimeException",
            out -> {
              throw new IllegalStateException("no body");
            }));
  }

  private static File file(byte[] bytes) throws IOException {
    Path file = Files.createTempFile("ordinary", ".bin");
    file.toFile().deleteOnExit();
    return Files.write(file, bytes).toFile();
  }

  private static InputStreamEntity stream(byte[] bytes, long length) {
    return new InputStreamEntity(new ByteArrayInputStream(bytes), length, ContentType.IMAGE_PNG);
  }

  private static Row failing(String name, IOCallback<OutputStream> body) {
    return Row.named("entity: " + name)
        .withoutServer()
        .apache(client ->
            client.send(
                client.request(
                    "POST", "/", new EntityTemplate(-1, ContentType.TEXT_PLAIN, null, body)),
                HttpClientContext.create()));
  }

  private static Stream<Row> expectations() {
    return Stream.of(
        expecting("100 Continue", WireServer::start, exchange -> exchange.reply(200, "read")),
        expecting(
                "the server refuses before the body",
                WireServer::lazy,
                exchange -> {
                  exchange.reply(413, "too long", "Connection: close");
                  exchange.thenClose();
                })
            .policies(Policy.DEFAULTS, Policy.KEYS, Policy.ONCE),
        expecting(
            "417",
            WireServer::lazy,
            exchange -> {
              exchange.reply(417, "no", "Connection: close");
              exchange.thenClose();
            }));
  }

  private static Row expecting(
      String name,
      java.util.function.Function<WireServer.Handler, WireServer> server,
      WireServer.Handler handler) {
    return Row.named("expect: " + name)
        .server(() -> server.apply(handler))
        .apacheClient((builder, run) ->
            builder.setDefaultRequestConfig(
                RequestConfig.custom().setExpectContinueEnabled(true).build()))
        .apache(client -> client.send("POST", "/", "text"));
  }

  @SuppressWarnings("deprecation") // still what most programs call
  private static Stream<Row> responses() {
    return Stream.of(
        Row.named("response: executed without a handler, then closed")
            .apache(client -> {
              for (int i = 0; i < 2; i++) {
                try (var response = client.http().execute(client.request("GET", "/" + i))) {
                  client.head(response);
                  client.run().note("result", Text.of(response.getEntity().getContent()));
                }
              }
            }),
        Row.named("response: closed unread")
            .answers(exchange -> exchange.reply(200, "x".repeat(200_000)))
            .apache(client -> {
              client.http().execute(client.request("GET", "/1")).close();
              client.get("/2");
            }),
        Row.named("response: consumed after it was closed")
            .apache(client -> {
              ClassicHttpResponse response = client.http().execute(client.request("GET", "/"));
              InputStream content = response.getEntity().getContent();
              response.close();
              content.close();
              response.close();
              client.run().note("result", Text.of(content));
            }),
        Row.named("response: a part is read, then the content is closed")
            .answers(exchange -> exchange.reply(200, "x".repeat(200_000)))
            .apache(client -> {
              ClassicHttpResponse response = client.http().execute(client.request("GET", "/1"));
              InputStream content = response.getEntity().getContent();
              client.run().note("result", content.read());
              content.close(); // reads the rest
              client.get("/2");
            }),
        Row.named("response: with a host beside the request")
            .apache(client -> {
              HttpHost host = new HttpHost("http", "127.0.0.1", client.run().uri("/").getPort());
              try (var response =
                  client.http().executeOpen(host, new BasicClassicHttpRequest("GET", "/a"), null)) {
                client.head(response);
              }
            }),
        Row.named("response: a handler that throws")
            .apache(client -> {
              try {
                client
                    .http()
                    .execute(
                        client.request("GET", "/1"),
                        response -> {
                          throw new IllegalStateException("mine");
                        });
              } catch (IllegalStateException mine) {
                client.run().note("result", mine);
              }
              client.get("/2");
            }));
  }

  private static Stream<Row> pools() {
    return Stream.of(
        Row.named("pool: one connection for all")
            .apache(client -> {
              client.pool().setMaxTotal(1);
              for (int i = 0; i < 5; i++) {
                client.send(i % 2 == 0 ? "GET" : "POST", "/" + i, "text");
              }
            }),
        Row.named("pool: exhausted")
            .answers(exchange -> exchange.reply(200, "ok"))
            .apacheClient((builder, run) ->
                builder.setDefaultRequestConfig(
                    RequestConfig.custom()
                        .setConnectionRequestTimeout(Timeout.ofMilliseconds(50))
                        .build()))
            .apache(ApacheRows::exhaust),
        Row.named("pool: a connection that the server closed meanwhile, and that is checked")
            .answers(exchange -> {
              exchange.reply(200, "ok");
              if (exchange.number() == 1) {
                exchange.thenClose();
              }
            })
            .apache(client -> {
              client.get("/1");
              client.pool().closeIdle(org.apache.hc.core5.util.TimeValue.ZERO_MILLISECONDS);
              client.send("POST", "/2", "text");
            }),
        Row.named("pool: user tokens keep connections apart")
            .apacheClient((builder, run) ->
                builder.setUserTokenHandler((route, context) -> context.getAttribute("user")))
            .apache(client -> {
              for (String user : List.of("a", "b", "a")) {
                HttpClientContext context = HttpClientContext.create();
                context.setAttribute("user", user);
                client.send(client.request("GET", "/" + user), context);
              }
            }));
  }

  @SuppressWarnings("deprecation")
  private static void exhaust(ApacheClient client) throws Exception {
    client.pool().setDefaultMaxPerRoute(1);
    ClassicHttpResponse held = client.http().execute(client.request("GET", "/held"));
    try {
      client.http().execute(client.request("POST", "/refused"), response -> response.getCode());
    } catch (IOException refused) { // its message has the milliseconds
      client.run().note("result", refused.getClass());
    }
    client.run().note("result", Text.of(held.getEntity().getContent()));
    held.close();
    client.get("/then");
  }

  private static Stream<Row> ends() {
    return Stream.of(
        Row.named("ends: close of the client, then a call")
            .apache(client -> {
              client.get("/1");
              client.http().close();
              client.get("/2");
            }),
        Row.named("ends: a request that is cancelled before")
            .endsOtherwise("a request that is cancelled before it is executed")
            .apache(client -> {
              HttpUriRequestBase request = client.request("POST", "/", new StringEntity("a"));
              request.cancel();
              client.send(request, HttpClientContext.create());
            }),
        Row.named("ends: a request that is cancelled while the body is read")
            .answers(exchange -> {
              exchange.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
              exchange.awaitGate();
            })
            .apache(ApacheRows::cancelWithin),
        Row.named("ends: response timeout of the request")
            .policies(Policy.ONCE)
            .answers(Exchange::awaitGate)
            .apache(client -> {
              HttpUriRequestBase request = client.request("GET", "/");
              request.setConfig(
                  RequestConfig.custom().setResponseTimeout(Timeout.ofMilliseconds(300)).build());
              client.send(request, HttpClientContext.create());
            }),
        Row.named("difference: the retries of HttpClient")
            .withRetriesOfApache()
            .policies(Policy.DEFAULTS)
            .answers(exchange -> exchange.reply(exchange.number() == 1 ? 503 : 200, "body"))
            .endsOtherwise("its own retries are off")
            .apache(client -> client.send("POST", "/", "text")));
  }

  private static void cancelWithin(ApacheClient client) throws IOException {
    Run run = client.run();
    HttpUriRequestBase request = client.request("GET", "/");
    try {
      client
          .http()
          .execute(
              request,
              response -> {
                client.head(response);
                run.note("result", response.getEntity().getContent().read());
                request.cancel();
                return response.getEntity().getContent().readAllBytes().length;
              });
    } catch (IOException cancelled) {
      run.note("result", cancelled.getClass());
    }
    run.wire().openGate();
  }

  /** Some calls at a time, on platform threads and on virtual ones. */
  private static Stream<Row> threads() {
    return Stream.of(
        parallel("platform threads", Executors::newCachedThreadPool),
        parallel("virtual threads", ApacheRows::virtualThreads).only(Setting.JDK_25));
  }

  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    return (ExecutorService) // of JDK 21
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  private static Row parallel(String name, Callable<ExecutorService> threads) {
    return Row.named("threads: " + name)
        .unordered()
        .apache(client -> {
          ExecutorService executor = threads.call();
          try {
            List<Future<?>> calls =
                Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
                    .<Future<?>>map(
                        each -> executor.submit(() -> client.send("POST", "/" + each, each)))
                    .toList();
            for (Future<?> each : calls) {
              each.get();
            }
          } finally {
            executor.shutdownNow();
          }
        });
  }
}
