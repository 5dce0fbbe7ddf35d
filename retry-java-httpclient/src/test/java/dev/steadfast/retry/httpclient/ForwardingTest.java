package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.CleanReport;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Subclasses of HttpClient inherit inert methods with every new Java; none may be missed. */
class ForwardingTest {
  @Test
  void everyPublicMethodOfThisJdksClientIsOverridden() {
    assertEquals(List.of(), inherited(HttpClient.class, RetryingHttpClient.class));
  }

  @Test
  void everyPublicMethodOfThisJdksResponseIsOverridden() {
    assertEquals(List.of(), inherited(HttpResponse.class, ReportedResponse.class));
    assertEquals(List.of(), inherited(HttpResponse.class, StoredResponse.class));
  }

  private static List<String> inherited(Class<?> type, Class<?> ours) {
    return Arrays.stream(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !declares(ours, method))
        .map(Method::toString)
        .toList();
  }

  private static boolean declares(Class<?> ours, Method method) {
    try {
      return ours.getMethod(method.getName(), method.getParameterTypes()).getDeclaringClass()
          == ours;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  @Test
  void settingsAreTheDelegates() {
    CookieHandler cookies = new CookieManager();
    Authenticator authenticator = new Authenticator() {};
    ProxySelector proxy = ProxySelector.of(null);
    Executor executor = Executors.newSingleThreadExecutor();
    HttpClient plain =
        HttpClient.newBuilder()
            .cookieHandler(cookies)
            .authenticator(authenticator)
            .proxy(proxy)
            .executor(executor)
            .connectTimeout(Duration.ofSeconds(3))
            .followRedirects(HttpClient.Redirect.ALWAYS)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    HttpClient client = RetryingHttpClient.wrap(plain, HttpRetry.defaults());

    assertSame(cookies, client.cookieHandler().orElseThrow());
    assertSame(authenticator, client.authenticator().orElseThrow());
    assertSame(proxy, client.proxy().orElseThrow());
    assertSame(executor, client.executor().orElseThrow());
    assertEquals(Duration.ofSeconds(3), client.connectTimeout().orElseThrow());
    assertEquals(HttpClient.Redirect.ALWAYS, client.followRedirects());
    assertEquals(HttpClient.Version.HTTP_1_1, client.version());
    assertSame(plain.sslContext(), client.sslContext());
    assertEquals(
        List.of(plain.sslParameters().getProtocols()),
        List.of(client.sslParameters().getProtocols()));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void closingReachesTheDelegate() throws Exception {
    try (Bench bench = new Bench()) {
      HttpClient plain = Bench.plain().build();
      RetryingHttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());
      assertEquals(
          200, client.send(bench.get(), HttpResponse.BodyHandlers.discarding()).statusCode());
      assertFalse(client.isTerminated());

      client.close();

      assertTrue(client.isTerminated());
      assertEquals(true, HttpClient.class.getMethod("isTerminated").invoke(plain));
      assertTrue(client.awaitTermination(Duration.ofSeconds(1)));
      bench.server.assertNoLeaks();
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void shuttingDownReachesTheDelegate() throws Exception {
    HttpClient plain = HttpClient.newHttpClient();
    RetryingHttpClient client = RetryingHttpClient.wrap(plain, HttpRetry.defaults());

    client.shutdown();

    assertTrue(client.awaitTermination(Bench.PATIENCE));
    assertEquals(true, HttpClient.class.getMethod("isTerminated").invoke(plain));
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void closingLeavesTheDelegateWhereClientsCannotBeClosed() throws Exception {
    try (Bench bench = new Bench()) {
      HttpClient plain = Bench.plain().build();
      RetryingHttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());

      client.close();
      client.shutdown();
      client.shutdownNow();

      assertFalse(client.isTerminated());
      assertFalse(client.awaitTermination(Duration.ofSeconds(1)));
      assertThrows(
          IOException.class,
          () -> client.send(bench.get(), HttpResponse.BodyHandlers.discarding()));
      assertEquals(
          200, plain.send(bench.get(), HttpResponse.BodyHandlers.discarding()).statusCode());
    }
  }

  private static final OperationInfo OPERATION = OperationInfo.of("test", "test");

  @Test
  void responseWithReportIsTheResponseInEverythingElse() throws Exception {
    try (Bench bench = new Bench()) {
      HttpResponse<String> plain =
          Bench.plain().build().send(bench.get(), HttpResponse.BodyHandlers.ofString());
      HttpResponse<String> reported =
          new ReportedResponse<>(plain, plain.request(), OPERATION, CleanReport.of(null));

      assertEquals(plain.statusCode(), reported.statusCode());
      assertSame(plain.request(), reported.request());
      assertEquals(plain.previousResponse(), reported.previousResponse());
      assertSame(plain.headers(), reported.headers());
      assertSame(plain.body(), reported.body());
      assertEquals(plain.sslSession(), reported.sslSession());
      assertEquals(plain.uri(), reported.uri());
      assertEquals(plain.version(), reported.version());
      assertEquals(plain.toString(), reported.toString());
      assertSame(CleanReport.of(null), JdkReports.of(reported));
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_25)
  void connectionLabelIsTheResponses() throws Exception {
    try (Bench bench = new Bench()) {
      HttpResponse<String> plain =
          Bench.plain().build().send(bench.get(), HttpResponse.BodyHandlers.ofString());
      ReportedResponse<String> reported =
          new ReportedResponse<>(plain, plain.request(), OPERATION, CleanReport.of(null));

      assertTrue(reported.connectionLabel().isPresent());
      assertEquals(
          HttpResponse.class.getMethod("connectionLabel").invoke(plain),
          reported.connectionLabel());
      assertEquals(
          HttpResponse.class.getMethod("connectionLabel").invoke(plain),
          NewerMethods.connectionLabel(
              StoredResponse.of(plain, new byte[0], HttpResponse.BodyHandlers.ofString())));
    }
  }
}
