package app;

import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.JdkEffects;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.server.HttpServerScope;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;

/** A client and a server in an image with nothing else. The first answer is a 503. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server
        .createContext(
            "/",
            exchange -> {
              exchange.sendResponseHeaders(requests.incrementAndGet() == 1 ? 503 : 204, -1);
              exchange.close();
            })
        .getFilters()
        .add(HttpServerScope.filter());
    server.start();
    try {
      URI uri =
          URI.create(
              "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                  + server.getAddress().getPort() + "/");
      RetryingHttpClient http =
          RetryingHttpClient.wrap(HttpClient.newHttpClient(), HttpRetry.builder().build());
      HttpRequest request = HttpRequest.newBuilder(uri).build();
      HttpResponse<String> response =
          http.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(
          response.statusCode() + " after " + JdkReports.of(response).attempts() + " attempts");
      EffectResult<String> read =
          JdkEffects.<String>readModifyWrite(http, String::new, String::getBytes)
              .build()
              .update(request, value -> null);
      System.out.println(read);
    } finally {
      server.stop(0);
    }
  }
}
