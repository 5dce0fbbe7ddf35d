package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import java.io.IOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.Cache;
import okhttp3.CacheControl;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

/** Cookies, and OkHttp's cache. */
final class CookieAndCacheRows {
  private CookieAndCacheRows() {}

  static List<Row> rows() {
    return List.of(
        Row.named("cookies")
            .answers(exchange ->
                exchange.reply(
                    200, "ok", "Set-Cookie: n=" + exchange.number(), "Set-Cookie: a=b; Path=/x"))
            .okHttpClient((builder, run) -> builder.cookieJar(new Jar()))
            .jdkClient((builder, run) ->
                builder.cookieHandler(new CookieManager(null, CookiePolicy.ACCEPT_ALL)))
            .program(client -> {
              client.get("/1");
              client.send("POST", "/2", "text");
              client.get("/x/3");
            }),
        cached("hit", "Cache-Control: max-age=600"),
        cached("conditional, unchanged", "ETag: \"v1\""),
        cached("conditional by date", "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT"),
        cached("stale", "Cache-Control: max-age=0", "ETag: \"v1\""),
        cached("not stored", "Cache-Control: no-store"),
        cached("varies", "Cache-Control: max-age=600", "Vary: Accept"),
        Row.named("cache: only if cached, and it is not")
            .okHttpClient(CookieAndCacheRows::cache)
            .okHttp(client ->
                client.call(client.request("/").cacheControl(CacheControl.FORCE_CACHE).build())),
        Row.named("cache: stale is accepted")
            .answers(exchange -> exchange.reply(200, "ok", "Cache-Control: max-age=0"))
            .okHttpClient(CookieAndCacheRows::cache)
            .okHttp(client -> {
              client.get("/");
              client.call(
                  client
                      .request("/")
                      .cacheControl(
                          new CacheControl.Builder()
                              .onlyIfCached()
                              .maxStale(1, TimeUnit.HOURS)
                              .build())
                      .build());
            }),
        Row.named("cache: a POST invalidates")
            .answers(exchange -> exchange.reply(200, "ok", "Cache-Control: max-age=600"))
            .okHttpClient(CookieAndCacheRows::cache)
            .okHttp(client -> {
              client.get("/");
              client.send("POST", "/", "text");
              client.get("/");
            }),
        Row.named("cache: a permanent redirect")
            .answers(exchange -> {
              if (exchange.target().equals("/")) {
                exchange.reply(301, "", "Location: /new", "Cache-Control: max-age=600");
              } else {
                exchange.reply(200, "ok", "Cache-Control: max-age=600");
              }
            })
            .okHttpClient(CookieAndCacheRows::cache)
            .okHttp(client -> {
              client.get("/");
              client.get("/");
            }));
  }

  private static Row cached(String name, String... headers) {
    return Row.named("cache: " + name)
        .answers(exchange -> {
          boolean conditional =
              exchange.header("If-None-Match") != null
                  || exchange.header("If-Modified-Since") != null;
          exchange.reply(conditional ? 304 : 200, "ok", headers);
        })
        .okHttpClient(CookieAndCacheRows::cache)
        .okHttp(client -> {
          client.get("/", "Accept: text/plain");
          client.get("/", "Accept: text/plain");
          client.get("/", "Accept: text/html");
          client.run().note("cache", client.client().cache().requestCount());
          client.run().note("cache", client.client().cache().networkCount());
          client.run().note("cache", client.client().cache().hitCount());
        });
  }

  private static void cache(OkHttpClient.Builder builder, Run run) throws IOException {
    builder.cache(new Cache(Files.createTempDirectory("ordinary").toFile(), 1 << 20));
  }

  /** Keeps the last cookies for everybody. */
  private static final class Jar implements CookieJar {
    private volatile List<Cookie> cookies = List.of();

    @Override
    public void saveFromResponse(HttpUrl url, List<Cookie> received) {
      cookies = received;
    }

    @Override
    public List<Cookie> loadForRequest(HttpUrl url) {
      return cookies;
    }
  }
}
