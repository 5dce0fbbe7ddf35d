package dev.steadfast.retry.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of real calls in a recording. */
class RetryEventsTest {
  @TempDir Path directory;

  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final RetryEvents events = new RetryEvents();
  private final FakeTime time = new FakeTime();
  private final HttpRetry retry =
      HttpRetry.builder()
          .policy(
              RetryPolicy.builder()
                  .maxAttempts(3)
                  .backoff(Backoff.fixed(Duration.ofMillis(200)))
                  .build())
          .idempotencyKeys(IdempotencyKeys.randomUuid())
          .environment(time.environment())
          .listener(time.skipWaits())
          .listener(events)
          .build();
  private final HttpClient client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);

  @BeforeEach
  void enqueue() {
    server.enqueue(
        Reply.closeAfterRequest(),
        Reply.status(503).header("Retry-After", "7"),
        Reply.status(200).header("Idempotent-Replayed", "true"));
  }

  private HttpRequest payment() {
    return HttpRequest.newBuilder(server.uri("/payments?card=4711"))
        .POST(BodyPublishers.ofString("1"))
        .build();
  }

  private void pay() throws Exception {
    client.send(payment(), BodyHandlers.ofString());
  }

  @Test
  void anOperationWithThreeAttempts() throws Exception {
    try (Recorded recorded = Recorded.everything()) {
      pay();
      List<RecordedEvent> all = recorded.events(directory);
      String target = "POST " + server.uri("/payments");
      for (RecordedEvent each : all) {
        assertEquals(target, each.getString("target"));
        assertEquals(server.uri("").toString(), each.getString("origin"));
      }
      assertEquals(
          1, all.stream().map(each -> each.getLong("operation")).distinct().count(), all::toString);
      assertEquals(
          List.of(
              "operation: 3 attempts, accepted, waited 7.2 s, unknown false, replayed true",
              "attempt 1: ConnectionLost, connection lost, unknown",
              "wait: 200 ms, backoff",
              "attempt 2: 503, unavailable, answered",
              "wait: 7000 ms, server delay",
              "attempt 3: 200, null, answered"),
          all.stream().map(RetryEventsTest::text).toList());
      RecordedEvent operation = all.get(0);
      for (RecordedEvent each : all.subList(1, all.size())) {
        assertFalse(each.getStartTime().isBefore(operation.getStartTime()));
        assertFalse(each.getEndTime().isAfter(operation.getEndTime()));
      }
      assertEquals(0, events.open());
    }
  }

  private static String text(RecordedEvent event) {
    return switch (event.getEventType().getName()) {
      case Recorded.OPERATION ->
          "operation: %d attempts, %s, waited %.1f s, unknown %s, replayed %s"
              .formatted(
                  event.getInt("attempts"),
                  event.getString("reason"),
                  event.getDuration("waited").toNanos() / 1e9,
                  event.getBoolean("outcomeUnknown"),
                  event.getBoolean("replayed"));
      case Recorded.ATTEMPT ->
          "attempt %d: %s, %s, %s"
              .formatted(
                  event.getInt("number"),
                  event.getString("outcome").replaceFirst("^[A-Z].*Exception$", "ConnectionLost"),
                  event.getString("kind"),
                  event.getString("disposition"));
      default ->
          "wait: %d ms, %s"
              .formatted(event.getDuration("delay").toMillis(), event.getString("why"));
    };
  }

  @Test
  void aRecordingHasTheWaitsAlone_byDefault() throws Exception {
    try (Recorded recorded = Recorded.byDefault()) {
      pay();
      assertEquals(List.of(Recorded.WAIT, Recorded.WAIT), recorded.names(directory));
    }
  }

  @Test
  void attemptsAlone() throws Exception {
    try (Recorded recorded = Recorded.with(Recorded.ATTEMPT)) {
      pay();
      assertEquals(Set.of(Recorded.ATTEMPT), Set.copyOf(recorded.names(directory)));
    }
    assertEquals(0, events.open());
  }

  @Test
  void aRecordingThatBeginsAndEndsWithinAnOperation() throws Exception {
    Recorded[] recorded = new Recorded[1];
    server.whenRequest(request -> {
      if (server.requests().size() == 2) {
        recorded[0] = Recorded.everything();
      }
    });
    try {
      pay();
      // The operation and its second attempt began before the recording.
      assertEquals(List.of(Recorded.WAIT, Recorded.ATTEMPT), recorded[0].names(directory));
    } finally {
      recorded[0].close();
    }
    assertEquals(0, events.open());

    enqueue();
    server.whenRequest(request -> {});
    try (Recorded ending = Recorded.everything()) {
      server.whenRequest(request -> ending.close());
      pay();
    }
    assertEquals(0, events.open());
  }

  @Test
  void anInterruptEndsTheEventsOfTheWaitAndTheOperation() throws Exception {
    Thread caller = Thread.currentThread();
    RetryListener interrupting =
        new RetryListener() {
          @Override
          public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
            caller.interrupt();
          }
        };
    HttpRetry interrupted = HttpRetry.builder().listener(events).listener(interrupting).build();
    HttpClient impatient = RetryingHttpClient.wrap(HttpClient.newHttpClient(), interrupted);
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
    try (Recorded recorded = Recorded.everything()) {
      assertThrows(
          InterruptedException.class, () -> impatient.send(request, BodyHandlers.discarding()));
      assertEquals(
          List.of(Recorded.OPERATION, Recorded.ATTEMPT, Recorded.WAIT), recorded.names(directory));
    }
    assertEquals(0, events.open());
  }

  @Test
  void eachOperationHasANumberOfItsOwn() throws Exception {
    try (Recorded recorded = Recorded.with(Recorded.OPERATION)) {
      pay();
      pay();
      assertEquals(
          2,
          recorded.events(directory).stream()
              .map(each -> each.getLong("operation"))
              .collect(Collectors.toSet())
              .size());
    }
  }
}
