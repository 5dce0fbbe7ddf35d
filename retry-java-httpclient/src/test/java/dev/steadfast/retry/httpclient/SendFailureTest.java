package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the wrapped client throws is what the plain client throws. */
class SendFailureTest {
  @RegisterExtension private final Bench bench = new Bench();
  private final HttpClient plain = Bench.plain().build();

  private HttpClient wrapped() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .totalTimeout(Duration.ofSeconds(10))
            .build();
    return RetryingHttpClient.wrap(plain, HttpRetry.builder().policy(policy).build());
  }

  private static HttpRequest put(URI uri) {
    return HttpRequest.newBuilder(uri).PUT(BodyPublishers.ofString("a")).build();
  }

  // ---- the caller's frames

  private static void holdsFrameOf(String method, Throwable thrown) {
    assertTrue(
        Arrays.stream(thrown.getStackTrace())
            .anyMatch(frame ->
                frame.getClassName().equals(SendFailureTest.class.getName())
                    && frame.getMethodName().equals(method)),
        () -> "no frame of " + method + " in " + Arrays.toString(thrown.getStackTrace()));
  }

  @Test
  void aRefusedConnectionHoldsTheFramesOfTheCaller() {
    try (RefusedPort nobody = RefusedPort.open()) {
      IOException thrown =
          assertThrows(IOException.class, () -> callOfTheTest(put(nobody.uri("/"))));
      holdsFrameOf("callOfTheTest", thrown);
      assertEquals(3, RetryReport.of(thrown).orElseThrow().attempts());
    }
  }

  @Test
  void aResetHoldsTheFramesOfTheCaller() {
    bench.server.defaultReply(Reply.resetAfterRequest());
    IOException thrown = assertThrows(IOException.class, () -> callOfTheTest(bench.put("a")));
    holdsFrameOf("callOfTheTest", thrown);
  }

  @Test
  void aTimeoutOfTheRequestHoldsTheFramesOfTheCaller() {
    bench.server.defaultReply(Reply.stallAfterRequest());
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/")).timeout(Duration.ofMillis(100)).build();
    IOException thrown = assertThrows(IOException.class, () -> callOfTheTest(request));
    holdsFrameOf("callOfTheTest", thrown);
  }

  @Test
  void aTotalTimeoutHoldsTheFramesOfTheCaller() {
    bench.server.defaultReply(Reply.stallAfterRequest());
    RetryPolicy policy = RetryPolicy.builder().totalTimeout(Duration.ofMillis(200)).build();
    HttpClient client = RetryingHttpClient.wrap(plain, HttpRetry.builder().policy(policy).build());
    IOException thrown =
        assertThrows(IOException.class, () -> callOfTheTest(client, bench.put("a")));
    holdsFrameOf("callOfTheTest", thrown);
  }

  private void callOfTheTest(HttpRequest request) throws Exception {
    callOfTheTest(wrapped(), request);
  }

  private static void callOfTheTest(HttpClient client, HttpRequest request) throws Exception {
    client.send(request, BodyHandlers.ofString());
  }

  // ---- failures of the caller's own code

  @ParameterizedTest
  @EnumSource
  void sendThrowsWhatPlainThrows(UserFault fault) throws Exception {
    assertAsPlain(client -> client.send(put(bench.server.uri("/")), fault.handler()));
  }

  @ParameterizedTest
  @EnumSource
  void getThrowsWhatPlainThrows(UserFault fault) throws Exception {
    assertAsPlain(client -> client.sendAsync(put(bench.server.uri("/")), fault.handler()).get());
  }

  @ParameterizedTest
  @EnumSource
  void joinThrowsWhatPlainThrows(UserFault fault) throws Exception {
    assertAsPlain(client -> client.sendAsync(put(bench.server.uri("/")), fault.handler()).join());
  }

  /** A way to use a client. */
  private interface Use {
    void of(HttpClient client) throws Throwable;
  }

  private void assertAsPlain(Use use) throws Exception {
    String expected = outcome(() -> use.of(plain), 3);
    String actual = outcome(() -> use.of(wrapped()), 9); // less than its total timeout
    if (expected.equals(HANGS)) {
      assertTrue(!actual.equals(HANGS), "hangs, as plain does");
    } else {
      assertEquals(expected, actual);
    }
  }

  private static final String HANGS = "hangs";

  /** How a call ends; one that does not end within some seconds is interrupted. */
  private static String outcome(Executable call, int seconds) throws Exception {
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                call.execute();
                ended.complete("returns");
              } catch (Throwable thrown) {
                ended.complete(text(thrown));
              }
            },
            "caller");
    thread.setDaemon(true);
    thread.start();
    try {
      return ended.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException hangs) {
      thread.interrupt();
      return HANGS;
    } catch (ExecutionException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Class and message down the chain of causes. */
  private static String text(Throwable thrown) {
    List<Throwable> chain = Stream.iterate(thrown, Objects::nonNull, Throwable::getCause).toList();
    // Its message is the JVM's and names variables of the client's code.
    boolean ofJvm = chain.get(chain.size() - 1) instanceof NullPointerException;
    return chain.stream()
        .map(each -> each.getClass().getName() + (ofJvm ? "" : ": " + each.getMessage()))
        .collect(Collectors.joining(" <- "));
  }
}
