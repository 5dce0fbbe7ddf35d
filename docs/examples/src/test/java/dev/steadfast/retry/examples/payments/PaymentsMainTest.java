package dev.steadfast.retry.examples.payments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The service as a process of its own, which dies for real. */
final class PaymentsMainTest {
  /** Ends the process at the point that the intent names. */
  public static final class Deaths implements Faults {
    @Override
    public void at(Point point, String intent) {
      if (intent.equals(point.name())) {
        Runtime.getRuntime().halt(137);
      }
    }
  }

  private final HttpClient http = HttpClient.newHttpClient();

  private static Process start(String... properties) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dpayments.lease=PT5M"));
    command.addAll(List.of(properties));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(PaymentsMain.class.getName(), Counterpart.database().jdbcUrl()));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static URI uri(Process process) throws IOException {
    BufferedReader out = process.inputReader();
    String line = out.readLine();
    assertTrue(line != null && line.startsWith("listening "), "printed: " + line);
    return URI.create("http://127.0.0.1:" + line.substring("listening ".length()) + "/payments");
  }

  private HttpResponse<String> pay(URI uri, String intent)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Authorization", "Bearer alice")
            .header("Idempotency-Key", intent)
            .timeout(Duration.ofSeconds(30))
            .POST(BodyPublishers.ofString(Counterpart.form(intent, 100)))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  @Test
  void whatDiedBeforeTheCommitIsPaidOnceLaterAndWhatDiedAfterItIsReplayed() throws Exception {
    new Counterpart().close(); // makes empty tables
    for (String point : List.of("IN_TRANSACTION", "AFTER_COMMIT")) {
      Process mortal = start("-Dpayments.faults=" + Deaths.class.getName());
      try {
        URI uri = uri(mortal);
        assertThrows(IOException.class, () -> pay(uri, point));
        assertTrue(mortal.waitFor(30, TimeUnit.SECONDS));
        assertEquals(137, mortal.exitValue());
      } finally {
        mortal.destroyForcibly();
      }
    }
    assertEquals(0, Counterpart.effects("IN_TRANSACTION"));
    assertEquals(1, Counterpart.effects("AFTER_COMMIT"));
    Process next = start();
    try {
      URI uri = uri(next);
      assertEquals(201, pay(uri, "AFTER_COMMIT").statusCode());
      assertEquals(409, pay(uri, "IN_TRANSACTION").statusCode());
      Counterpart.passTime(Duration.ofMinutes(6));
      assertEquals(201, pay(uri, "IN_TRANSACTION").statusCode());
      assertEquals(201, pay(uri, "IN_TRANSACTION").statusCode());
    } finally {
      next.destroyForcibly();
    }
    assertEquals(1, Counterpart.effects("IN_TRANSACTION"));
    assertEquals(1, Counterpart.effects("AFTER_COMMIT"));
  }
}
