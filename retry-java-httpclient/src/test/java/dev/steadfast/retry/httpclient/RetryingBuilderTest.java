package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.lang.reflect.Method;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Libraries that take a builder of the JDK's and no client get clients that retry. */
class RetryingBuilderTest {
  @Test
  void whatItBuildsRetries() throws Exception {
    try (Bench bench = new Bench()) {
      bench.server.enqueue(Reply.status(503), Reply.status(200));
      HttpClient client =
          RetryingHttpClient.newBuilder(bench.retry().build())
              .version(HttpClient.Version.HTTP_1_1)
              .build();

      HttpResponse<Void> response = client.send(bench.get(), BodyHandlers.discarding());

      assertEquals(2, JdkReports.of(response).attempts());
    }
  }

  /** HttpClient's static methods are inherited by name, and would make clients that do not. */
  @Test
  void theInheritedFactoriesMakeClientsThatRetry() {
    assertInstanceOf(RetryingHttpClient.class, RetryingHttpClient.newHttpClient());
    assertInstanceOf(RetryingHttpClient.class, RetryingHttpClient.newBuilder().build());
  }

  @Test
  void everySettingArrivesAndTheBuilderStaysOurs() throws NoSuchAlgorithmException {
    CookieHandler cookies = new CookieManager();
    Authenticator authenticator = new Authenticator() {};
    ProxySelector proxy = ProxySelector.of(null);
    Executor executor = Runnable::run;
    SSLContext context = SSLContext.getDefault();
    SSLParameters parameters = new SSLParameters();
    parameters.setProtocols(new String[] {"TLSv1.3"});
    HttpClient.Builder builder = RetryingHttpClient.newBuilder(HttpRetry.defaults());

    assertSame(builder, builder.cookieHandler(cookies));
    assertSame(builder, builder.authenticator(authenticator));
    assertSame(builder, builder.proxy(proxy));
    assertSame(builder, builder.executor(executor));
    assertSame(builder, builder.sslContext(context));
    assertSame(builder, builder.sslParameters(parameters));
    assertSame(builder, builder.connectTimeout(Duration.ofSeconds(3)));
    assertSame(builder, builder.followRedirects(HttpClient.Redirect.ALWAYS));
    assertSame(builder, builder.version(HttpClient.Version.HTTP_1_1));
    assertSame(builder, builder.priority(7));
    HttpClient client = builder.build();

    assertSame(cookies, client.cookieHandler().orElseThrow());
    assertSame(authenticator, client.authenticator().orElseThrow());
    assertSame(proxy, client.proxy().orElseThrow());
    assertSame(executor, client.executor().orElseThrow());
    assertSame(context, client.sslContext());
    assertEquals(List.of("TLSv1.3"), List.of(client.sslParameters().getProtocols()));
    assertEquals(Duration.ofSeconds(3), client.connectTimeout().orElseThrow());
    assertEquals(HttpClient.Redirect.ALWAYS, client.followRedirects());
    assertEquals(HttpClient.Version.HTTP_1_1, client.version());
    assertThrows(IllegalArgumentException.class, () -> builder.priority(0), "it arrives, too");
  }

  @Test
  void everyMethodOfThisJdksBuilderIsOverridden() {
    List<String> inherited =
        Arrays.stream(HttpClient.Builder.class.getMethods())
            .filter(method -> !declares(method))
            .map(Method::toString)
            .toList();
    assertEquals(List.of(), inherited);
  }

  private static boolean declares(Method method) {
    return Arrays.stream(RetryingBuilder.class.getDeclaredMethods())
        .anyMatch(ours ->
            ours.getName().equals(method.getName())
                && Arrays.equals(ours.getParameterTypes(), method.getParameterTypes()));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void theLocalAddressArrives() throws Exception {
    try (Bench bench = new Bench()) {
      HttpClient.Builder builder =
          RetryingHttpClient.newBuilder(bench.retry().build()).version(HttpClient.Version.HTTP_1_1);
      Method localAddress = HttpClient.Builder.class.getMethod("localAddress", InetAddress.class);

      assertSame(builder, localAddress.invoke(builder, InetAddress.getLoopbackAddress()));

      assertEquals(200, builder.build().send(bench.get(), BodyHandlers.discarding()).statusCode());
    }
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_18)
  void theLocalAddressIsRefusedWhereClientsHaveNone() {
    RetryingBuilder builder = new RetryingBuilder(HttpRetry.defaults(), RetryOptions.none());
    assertThrows(
        UnsupportedOperationException.class,
        () -> builder.localAddress(InetAddress.getLoopbackAddress()));
  }
}
