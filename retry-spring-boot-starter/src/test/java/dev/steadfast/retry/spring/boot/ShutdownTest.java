package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;

/** An application that ends while an operation waits for its retry. */
final class ShutdownTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Configuration(proxyBeanMethods = false)
  static class Calling {
    @Bean
    Caller caller(SteadfastClients clients) {
      return new Caller(clients.get("pay").restClient().build());
    }
  }

  /** Calls once, and ends with the result. */
  static final class Caller implements DisposableBean {
    private final Thread thread;
    private volatile String result = "none";

    Caller(RestClient client) {
      thread = new Thread(() -> result = call(client), "caller");
      thread.start();
    }

    private static String call(RestClient client) {
      try {
        return "answer " + client.get().retrieve().toBodilessEntity().getStatusCode();
      } catch (RuntimeException ended) {
        return "ended " + ended.getCause();
      }
    }

    @Override
    public void destroy() throws InterruptedException {
      thread.join(); // the phases are over
      System.out.println(result);
    }
  }

  /** The application in a process of its own. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      ConfigurableApplicationContext app = App.start(Calling.class, arguments);
      System.out.println("started " + app.isActive());
    }
  }

  private String[] settings(String library, String phase) {
    return new String[] {
      "spring.http.serviceclient.pay.base-url=" + server.uri("/"),
      "steadfast.clients.pay.policy=totalTimeout=none; serverDelaySpread=0",
      "steadfast.clients.pay.library=" + library,
      "spring.lifecycle.timeout-per-shutdown-phase=" + phase,
      "logging.level.root=off",
      "logging.level.dev.steadfast.retry=off"
    };
  }

  private void awaitTheWait() throws InterruptedException {
    server.awaitRequests(1, Duration.ofSeconds(60));
    server.awaitNoBusyConnections(Duration.ofSeconds(60));
  }

  private String resultOfOneThatIsClosed(String library, String phase) throws InterruptedException {
    ConfigurableApplicationContext app = App.start(Calling.class, settings(library, phase));
    try {
      Caller caller = app.getBean(Caller.class);
      awaitTheWait();
      app.close();
      return caller.result;
    } finally {
      app.close();
    }
  }

  // Spring's tests pause the contexts that they keep.
  @Test
  void aPauseEndsNoOperation_andTheClientGoesOnAfterIt() throws Exception {
    CountDownLatch paused = new CountDownLatch(1);
    server.enqueue(Reply.status(200).body("late").delayUntil(paused), Reply.status(200));
    try (ConfigurableApplicationContext app =
        App.start(
            "steadfast.clients.pay.policy=",
            "spring.http.serviceclient.pay.base-url=" + server.uri("/"),
            "spring.lifecycle.timeout-per-shutdown-phase=1s")) {
      RestClient client = app.getBean(SteadfastClients.class).get("pay").restClient().build();
      CompletableFuture<String> late =
          CompletableFuture.supplyAsync(() -> client.get().retrieve().body(String.class));
      server.takeRequest(Duration.ofSeconds(60));
      app.pause();
      app.restart();
      paused.countDown();
      assertEquals("late", late.get());
      client.get().retrieve().toBodilessEntity();
    }
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void anOperationThatCanFinishFinishes(String library) throws Exception {
    server.enqueue(Reply.status(503).header("Retry-After", "1"), Reply.status(200));
    assertEquals("answer 200 OK", resultOfOneThatIsClosed(library, "60s"));
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "okhttp", "apache"})
  void anOperationThatWaitsTooLongEnds(String library) throws Exception {
    server.enqueue(Reply.status(503).header("Retry-After", "50"));
    String result = resultOfOneThatIsClosed(library, "1s");
    assertTrue(
        result.startsWith("ended java.io.IOException")
            || result.contains("RequestFailedException"), // Apache HttpClient's own
        result);
    assertEquals(1, server.requests().size());
  }

  // The JDK's client cannot be closed before Java 21.
  static List<String> librariesThatClose() {
    return Runtime.version().feature() < 21
        ? List.of("okhttp", "apache")
        : List.of("jdk", "okhttp", "apache");
  }

  @ParameterizedTest
  @MethodSource("librariesThatClose")
  void itsConnectionsAreClosed(String library) throws Exception {
    server.enqueue(Reply.status(200));
    try (ConfigurableApplicationContext app =
        App.start(
            "steadfast.clients.pay.library=" + library,
            "spring.http.serviceclient.pay.base-url=" + server.uri("/"))) {
      SteadfastClient pay = app.getBean(SteadfastClients.class).get("pay");
      pay.restClient().build().get().retrieve().toBodilessEntity();
      assertEquals(1, server.openConnections());
    }
    server.awaitNoOpenConnections(Duration.ofSeconds(30));
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnOkHttp {
    static final OkHttpClient SHARED = new OkHttpClient();

    @Bean
    OkHttpClient shared() {
      return SHARED;
    }
  }

  @Test
  void theConnectionsOfAnOkHttpClientOfTheApplicationStay() throws Exception {
    server.enqueue(Reply.status(200));
    try (ConfigurableApplicationContext app =
        App.start(
            OwnOkHttp.class,
            "steadfast.clients.pay.library=okhttp",
            "spring.http.serviceclient.pay.base-url=" + server.uri("/"))) {
      SteadfastClient pay = app.getBean(SteadfastClients.class).get("pay");
      pay.restClient().build().get().retrieve().toBodilessEntity();
    }
    assertEquals(1, OwnOkHttp.SHARED.connectionPool().idleConnectionCount());
    assertFalse(OwnOkHttp.SHARED.dispatcher().executorService().isShutdown());
    OwnOkHttp.SHARED.connectionPool().evictAll();
  }

  @Test
  void anOperationFinishesAfterSigterm() throws Exception {
    server.enqueue(Reply.status(503).header("Retry-After", "1"), Reply.status(200));
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1", // as the JVM of the tests: a short life
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName()));
    command.addAll(List.of(settings("jdk", "60s")));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      assertEquals("started true", output.readLine());
      awaitTheWait();
      process.toHandle().destroy(); // SIGTERM, and its output stays open
      assertEquals(List.of("answer 200 OK"), output.lines().toList());
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
    assertEquals(2, server.requests().size());
  }
}
