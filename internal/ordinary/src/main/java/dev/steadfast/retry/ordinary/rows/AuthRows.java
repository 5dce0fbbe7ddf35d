package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Tls;
import dev.steadfast.retry.ordinary.WireServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import okhttp3.Credentials;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.Route;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/** Credentials: of servers and of proxies. */
final class AuthRows {
  private static final String BASIC = Credentials.basic("user", "secret");

  private AuthRows() {}

  static List<Row> rows() {
    return Stream.of(servers(), tokens(), proxies()).flatMap(rows -> rows).toList();
  }

  private static Stream<Row> servers() {
    return Stream.of("GET", "POST")
        .flatMap(method ->
            Stream.of(
                Row.named("auth: authenticator, " + method)
                    .answers(AuthRows::basic)
                    .okHttpClient((builder, run) -> builder.authenticator(AuthRows::answer))
                    .jdkClient((builder, run) -> builder.authenticator(new Password()))
                    .program(client -> {
                      client.send(method, "/1", "text");
                      client.send(method, "/2", "text");
                    }),
                Row.named("auth: authenticator, wrong password, " + method)
                    .answers(exchange ->
                        exchange.reply(401, "no", "WWW-Authenticate: Basic realm=\"r\""))
                    .okHttpClient((builder, run) -> builder.authenticator(AuthRows::answer))
                    .jdkClient((builder, run) -> builder.authenticator(new Password()))
                    .program(client -> client.send(method, "/", "text")),
                Row.named("auth: authenticator, 401 without a challenge, " + method)
                    .answers(exchange -> exchange.reply(401, "no"))
                    .okHttpClient((builder, run) -> builder.authenticator(AuthRows::answer))
                    .jdkClient((builder, run) -> builder.authenticator(new Password()))
                    .program(client -> client.send(method, "/", "text"))));
  }

  private static void basic(Exchange exchange) throws IOException {
    if (BASIC.equals(exchange.header("Authorization"))) {
      exchange.reply(200, "welcome");
    } else {
      exchange.reply(401, "who?", "WWW-Authenticate: Basic realm=\"r\"");
    }
  }

  private static @Nullable Request answer(Route route, Response response) {
    boolean again = response.request().header("Authorization") != null;
    return again ? null : response.request().newBuilder().header("Authorization", BASIC).build();
  }

  private static @Nullable Request answerProxy(Route route, Response response) {
    boolean again = BASIC.equals(response.request().header("Proxy-Authorization"));
    return again
        ? null
        : response.request().newBuilder().header("Proxy-Authorization", BASIC).build();
  }

  /** A password for everybody who asks. */
  private static final class Password extends Authenticator {
    @Override
    protected PasswordAuthentication getPasswordAuthentication() {
      return new PasswordAuthentication("user", "secret".toCharArray());
    }
  }

  private static Stream<Row> tokens() {
    return Stream.concat(Stream.of(tokenBeforeStream()), tokensFor("GET", "POST"));
  }

  /** The 401 comes instead of 100 Continue, so the stream is there for the second request. */
  private static Row tokenBeforeStream() {
    return Row.named("auth: token by an interceptor before, for a stream that is read once")
        .server(() ->
            WireServer.lazy(exchange -> {
              if ("Bearer new".equals(exchange.header("Authorization"))) {
                exchange.readBody();
              }
              token(exchange);
            }))
        .okHttpClient((builder, run) ->
            builder.addInterceptor(new Refresh()).addNetworkInterceptor(AuthRows::withProgress))
        .okHttp(client -> {
          InputStream stream = new ByteArrayInputStream("lines".getBytes(StandardCharsets.UTF_8));
          client.call(
              client
                  .request("/upload")
                  .header("Expect", "100-continue")
                  .post(Bodies.once(sink -> sink.writeAll(Okio.source(stream))))
                  .build());
        });
  }

  private static Response withProgress(Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    RequestBody body = request.body();
    return chain.proceed(
        body == null
            ? request
            : request.newBuilder().method(request.method(), Bodies.once(body::writeTo)).build());
  }

  private static Stream<Row> tokensFor(String... methods) {
    return Stream.of(methods)
        .flatMap(method ->
            Stream.of(
                token("interceptor before", method)
                    .okHttpClient((b, run) -> b.addInterceptor(new Refresh())),
                token("interceptor after", method)
                    .okHttpClientAfter((b, run) -> b.addInterceptor(new Refresh())),
                token("network interceptor that adds a header", method)
                    .okHttpClientAfter((b, run) ->
                        b.addNetworkInterceptor(chain ->
                            chain.proceed(
                                chain
                                    .request()
                                    .newBuilder()
                                    .header("Authorization", "Bearer new")
                                    .build())))));
  }

  private static Row token(String by, String method) {
    return Row.named("auth: token by an " + by + ", " + method)
        .answers(AuthRows::token)
        .okHttp(client -> {
          client.send(method, "/1", "text");
          client.send(method, "/2", "text");
        });
  }

  private static void token(Exchange exchange) throws IOException {
    if (exchange.target().equals("/token")) {
      exchange.reply(200, "new");
    } else if ("Bearer new".equals(exchange.header("Authorization"))) {
      exchange.reply(200, "welcome");
    } else {
      exchange.reply(401, "expired");
    }
  }

  /** Adds a token, and after a 401 gets a new one and goes on again. */
  private static final class Refresh implements Interceptor {
    private final AtomicReference<String> token = new AtomicReference<>("old");

    @Override
    public Response intercept(Chain chain) throws IOException {
      Response response = chain.proceed(with(chain.request()));
      if (response.code() != 401) {
        return response;
      }
      response.close();
      Request get = new Request.Builder().url(chain.request().url().resolve("/token")).build();
      try (Response answer = chain.proceed(get)) {
        token.set(answer.body().string());
      }
      return chain.proceed(with(chain.request()));
    }

    private Request with(Request request) {
      return request.newBuilder().header("Authorization", "Bearer " + token).build();
    }
  }

  private static Stream<Row> proxies() {
    return Stream.of("GET", "POST")
        .flatMap(method ->
            Stream.of(
                proxied("open, " + method, "http://origin.test/" + method, method)
                    .answers(exchange -> exchange.reply(200, "by proxy")),
                proxied("with a password, " + method, "http://origin.test/a", method)
                    .answers(AuthRows::proxyWithPassword)
                    .jdkClient((builder, run) ->
                        builder
                            .authenticator(new Password())
                            .proxy(ProxySelector.of(address(run.wire().port())))),
                proxied("tunnel, " + method, "https://127.0.0.1:1/a", method)
                    .answers(AuthRows::tunnel),
                proxied("tunnel that is refused, " + method, "https://127.0.0.1:1/a", method)
                    .policies(Policy.ONCE)
                    .answers(exchange -> exchange.reply(403, "no tunnel"))));
  }

  private static Row proxied(String name, String url, String method) {
    return Row.named("proxy: " + name)
        .okHttpClient((builder, run) -> {
          Tls.trust(builder);
          builder
              .proxy(new Proxy(Proxy.Type.HTTP, address(run.wire().port())))
              .proxyAuthenticator(AuthRows::answerProxy);
        })
        .jdkClient((builder, run) ->
            builder.sslContext(Tls.client()).proxy(ProxySelector.of(address(run.wire().port()))))
        .okHttp(client -> {
          var body = method.equals("GET") ? null : OkBodyRows.form("v");
          for (int i = 0; i < 2; i++) {
            client.call(new Request.Builder().url(url).method(method, body).build());
          }
        })
        .jdk(client -> {
          for (int i = 0; i < 2; i++) {
            client.send(
                java.net.http.HttpRequest.newBuilder(java.net.URI.create(url))
                    .method(
                        method,
                        method.equals("GET")
                            ? java.net.http.HttpRequest.BodyPublishers.noBody()
                            : java.net.http.HttpRequest.BodyPublishers.ofString("v"))
                    .build(),
                java.net.http.HttpResponse.BodyHandlers.ofString());
          }
        });
  }

  private static InetSocketAddress address(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static void proxyWithPassword(Exchange exchange) throws IOException {
    if (BASIC.equals(exchange.header("Proxy-Authorization"))) {
      exchange.reply(200, "by proxy");
    } else {
      exchange.reply(407, "who?", "Proxy-Authenticate: Basic realm=\"p\"");
    }
  }

  private static void tunnel(Exchange exchange) throws IOException {
    if (exchange.method().equals("CONNECT")) {
      exchange.raw("HTTP/1.1 200 Connection established\r\n\r\n");
      exchange.startTls();
    } else {
      exchange.reply(200, "through the tunnel");
    }
  }
}
