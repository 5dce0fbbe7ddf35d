package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.ApacheClient;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.auth.BasicAuthCache;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.auth.BasicScheme;
import org.apache.hc.client5.http.impl.cache.CachingHttpClients;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.message.BasicHeader;

/** Apache HttpClient 5: what its chain of handlers does within a call. */
final class ApacheChainRows {
  private static final char[] PASSWORD = "secret".toCharArray();
  private static final String BASIC = "Basic dXNlcjpzZWNyZXQ=";

  /** A server that sends no date makes the cache add the time of day, which differs each time. */
  private static final String DATE = "Date: Fri, 31 Dec 2049 00:00:00 GMT";

  private ApacheChainRows() {}

  static List<Row> rows() {
    return Stream.of(credentials(), cookies(), caches(), handlers(), compressions(), redirects())
        .flatMap(rows -> rows)
        .toList();
  }

  // ---- credentials

  private static Stream<Row> credentials() {
    return Stream.of("GET", "POST")
        .flatMap(method ->
            Stream.of(
                authenticated("basic", method, ApacheChainRows::basic),
                authenticated(
                    "wrong password",
                    method,
                    exchange -> exchange.reply(401, "no", "WWW-Authenticate: Basic realm=\"r\"")),
                authenticated(
                    "401 without a challenge", method, exchange -> exchange.reply(401, "no")),
                authenticated(
                    "a challenge that nobody knows",
                    method,
                    exchange -> exchange.reply(401, "no", "WWW-Authenticate: Nobody x=\"r\"")),
                Row.named("apache auth: beforehand, " + method)
                    .answers(ApacheChainRows::basic)
                    .apache(client -> beforehand(client, method)),
                Row.named("apache auth: by a proxy, " + method)
                    .answers(exchange -> {
                      if (BASIC.equals(exchange.header("Proxy-Authorization"))) {
                        exchange.reply(200, "by proxy");
                      } else {
                        exchange.reply(407, "who?", "Proxy-Authenticate: Basic realm=\"p\"");
                      }
                    })
                    .apacheClient((builder, run) ->
                        builder
                            .setProxy(new HttpHost("http", "127.0.0.1", run.uri("/").getPort()))
                            .setDefaultCredentialsProvider(provider()))
                    .apache(client -> {
                      client.send(method, "/1", "text");
                      client.send(method, "/2", "text");
                    })));
  }

  private static Row authenticated(
      String name, String method, dev.steadfast.retry.ordinary.WireServer.Handler handler) {
    return Row.named("apache auth: " + name + ", " + method)
        .answers(handler)
        .apacheClient((builder, run) -> builder.setDefaultCredentialsProvider(provider()))
        .apache(client -> {
          client.send(method, "/1", "text");
          client.send(method, "/2", "text");
        });
  }

  private static BasicCredentialsProvider provider() {
    BasicCredentialsProvider provider = new BasicCredentialsProvider();
    provider.setCredentials(
        new AuthScope(null, -1), new UsernamePasswordCredentials("user", PASSWORD));
    return provider;
  }

  private static void basic(Exchange exchange) throws IOException {
    if (BASIC.equals(exchange.header("Authorization"))) {
      exchange.reply(200, "welcome");
    } else {
      exchange.reply(401, "who?", "WWW-Authenticate: Basic realm=\"r\"");
    }
  }

  private static void beforehand(ApacheClient client, String method) {
    BasicScheme scheme = new BasicScheme();
    scheme.initPreemptive(new UsernamePasswordCredentials("user", PASSWORD));
    BasicAuthCache known = new BasicAuthCache();
    known.put(new HttpHost("http", "127.0.0.1", client.run().uri("/").getPort()), scheme);
    HttpClientContext context = HttpClientContext.create();
    context.setAuthCache(known);
    client.send(client.request(method, "/1"), context);
    client.send(client.request(method, "/2"), context);
  }

  // ---- cookies

  private static Stream<Row> cookies() {
    return Stream.of(
        cookies("of the client", (builder, run) -> {}, HttpClientContext::create),
        cookies(
            "not managed",
            (builder, run) -> builder.disableCookieManagement(),
            HttpClientContext::create),
        cookies(
            "of a context",
            (builder, run) -> {},
            () -> {
              HttpClientContext context = HttpClientContext.create();
              context.setCookieStore(new BasicCookieStore());
              return context;
            }));
  }

  private static Row cookies(
      String name,
      dev.steadfast.retry.ordinary.Configuration<HttpClientBuilder> builder,
      java.util.function.Supplier<HttpClientContext> contexts) {
    return Row.named("apache cookies: " + name)
        .answers(exchange ->
            exchange.reply(
                200, "ok", "Set-Cookie: n=" + exchange.number(), "Set-Cookie: a=b; Path=/x"))
        .apacheClient(builder)
        .apache(client -> {
          HttpClientContext context = contexts.get();
          client.send(client.request("GET", "/1"), context);
          client.send(client.request("POST", "/2", new StringEntity("t")), context);
          client.send(client.request("GET", "/x/3"), contexts.get());
          client.run().note("cookies", context.getCookieStore().getCookies().size());
        });
  }

  // ---- the cache

  private static Stream<Row> caches() {
    return Stream.of(
        cached("hit", "Cache-Control: max-age=600"),
        cached("conditional, unchanged", "ETag: \"v1\"", "Cache-Control: no-cache"),
        cached("stale", "Cache-Control: max-age=0", "ETag: \"v1\""),
        cached("not stored", "Cache-Control: no-store"),
        cached("varies", "Cache-Control: max-age=600", "Vary: Accept"),
        Row.named("apache cache: only if cached, and it is not")
            .apacheFrom(CachingHttpClients::custom)
            .apache(client -> client.get("/", "Cache-Control: only-if-cached")),
        Row.named("apache cache: a POST invalidates")
            .answers(exchange -> exchange.reply(200, "ok", DATE, "Cache-Control: max-age=600"))
            .apacheFrom(CachingHttpClients::custom)
            .apache(client -> {
              client.get("/");
              client.send("POST", "/", "text");
              client.get("/");
            }));
  }

  private static Row cached(String name, String... headers) {
    return Row.named("apache cache: " + name)
        .answers(exchange -> {
          int status = exchange.header("If-None-Match") != null ? 304 : 200;
          exchange.reply(
              status,
              "ok",
              Stream.concat(Stream.of(DATE), Stream.of(headers)).toArray(String[]::new));
        })
        .apacheFrom(CachingHttpClients::custom)
        .apache(client -> {
          client.get("/", "Accept: text/plain");
          client.get("/", "Accept: text/plain");
          client.get("/", "Accept: text/html");
        });
  }

  // ---- handlers and interceptors of the program

  private static Stream<Row> handlers() {
    return Stream.concat(Stream.of(ofCaller()), handlersOf("GET", "POST"));
  }

  private static Stream<Row> handlersOf(String... methods) {
    return Stream.of(methods)
        .flatMap(method ->
            Stream.of(
                handled("interceptors", method)
                    .apacheClient((builder, run) -> intercept(builder, run))
                    .apacheClientAfter((builder, run) -> {}),
                handled("interceptors that are added after", method)
                    .apacheClientAfter((builder, run) -> intercept(builder, run)),
                handled("handler in first place, before", method)
                    .apacheClient(
                        (builder, run) -> builder.addExecInterceptorFirst("mine", noting(run))),
                handled("handler in first place, after", method)
                    .apacheClientAfter(
                        (builder, run) -> builder.addExecInterceptorFirst("mine", noting(run))),
                handled("handler in last place", method)
                    .apacheClientAfter(
                        (builder, run) -> builder.addExecInterceptorLast("mine", noting(run))),
                handled("handler after the redirects", method)
                    .apacheClientAfter((builder, run) ->
                        builder.addExecInterceptorAfter(
                            ChainElement.REDIRECT.name(), "mine", noting(run))),
                handled("handler in place of that for compression", method)
                    .apacheClientAfter((builder, run) ->
                        builder.replaceExecInterceptor(ChainElement.COMPRESS.name(), noting(run))),
                handled("default headers and user agent", method)
                    .apacheClient((builder, run) ->
                        builder
                            .setUserAgent("mine/1")
                            .setDefaultHeaders(List.of(new BasicHeader("X-Default", "1"))))));
  }

  private static Row ofCaller() {
    Queue<Object> seen = new ConcurrentLinkedQueue<>();
    return Row.named("apache: the request that the caller made, as a handler sees it")
        .apacheClientAfter((builder, run) ->
            builder.addExecInterceptorLast(
                "mine",
                (request, scope, chain) -> {
                  seen.add(scope.originalRequest);
                  return chain.proceed(request, scope);
                }))
        .differs(
            "handler",
            "a handler within the attempts gets a copy of the caller's request",
            Policy.KEYS)
        .apache(client -> {
          HttpUriRequestBase request = client.request("POST", "/");
          client.send(request, HttpClientContext.create());
          client.run().note("handler", "the very one: " + seen.contains(request));
        });
  }

  private static Row handled(String name, String method) {
    return Row.named("apache: " + name + ", " + method)
        .answers(exchange -> {
          if (exchange.number() == 1) {
            exchange.reply(307, "", "Location: /new");
          } else {
            exchange.reply(200, "here", "X-A: b");
          }
        })
        .apache(client -> client.send(method, "/", "text"));
  }

  private static void intercept(HttpClientBuilder builder, Run run) {
    builder
        .addRequestInterceptorFirst((request, entity, context) -> {
          run.note("interceptor", "first " + request);
          request.setHeader("X-First", "1");
        })
        .addRequestInterceptorLast(
            (request, entity, context) -> run.note("interceptor", "last " + request))
        .addResponseInterceptorFirst((response, entity, context) -> {
          run.note("interceptor", "answer " + response);
          response.setHeader("X-Seen", "1");
        })
        .addResponseInterceptorLast(
            (response, entity, context) -> run.note("interceptor", "answer, last " + response));
  }

  private static ExecChainHandler noting(Run run) {
    return (request, scope, chain) -> {
      run.note("handler", request + " " + scope.route);
      run.note("handler", "original " + scope.originalRequest.getRequestUri());
      request.setHeader("X-Handler", "1");
      var response = chain.proceed(request, scope);
      run.note("handler", response);
      response.setHeader("X-Handled", "1");
      return response;
    };
  }

  // ---- compression

  private static Stream<Row> compressions() {
    return Stream.of(
        compressed("gzip", "gzip"),
        compressed("an encoding that is unknown", "mine"),
        compressed("switched off", "gzip")
            .apacheClient((builder, run) -> builder.disableContentCompression()),
        Row.named("apache compression: broken")
            .answers(exchange -> exchange.reply(200, "no zip", "Content-Encoding: gzip"))
            .apache(client -> client.get("/")));
  }

  private static Row compressed(String name, String encoding) {
    return Row.named("apache compression: " + name)
        .answers(exchange ->
            exchange.reply(200, zipped("text".repeat(99)), "Content-Encoding: " + encoding))
        .apache(client -> {
          client.get("/1");
          client.send("POST", "/2", "text");
        });
  }

  private static byte[] zipped(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.US_ASCII));
    }
    return bytes.toByteArray();
  }

  // ---- redirects

  private static Stream<Row> redirects() {
    return Stream.of(
        Row.named("apache redirect: switched off")
            .answers(exchange -> exchange.reply(302, "", "Location: /new"))
            .apacheClient((builder, run) -> builder.disableRedirectHandling())
            .apache(client -> client.send("POST", "/", "text")),
        Row.named("apache redirect: switched off for the request")
            .answers(exchange -> exchange.reply(302, "", "Location: /new"))
            .apache(client -> {
              var request = client.request("GET", "/");
              request.setConfig(RequestConfig.custom().setRedirectsEnabled(false).build());
              client.send(request, HttpClientContext.create());
            }),
        Row.named("apache redirect: in a circle")
            .answers(exchange -> exchange.reply(302, "", "Location: /"))
            .apache(client -> client.get("/")));
  }
}
