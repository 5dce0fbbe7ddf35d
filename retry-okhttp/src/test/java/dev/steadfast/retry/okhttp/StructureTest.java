package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a wait holds: of the factory nothing, of the interceptor a place of the dispatcher's. */
class StructureTest {
  private static final Duration WAIT = Duration.ofSeconds(1);

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private HttpRetry waiting() {
    return rig.frozen()
        .policy(Calls.seconds().noTotalTimeout().build())
        .budget(RetryBudget.unlimited())
        .build();
  }

  /** Each call has its own path, whose first request is answered 503. */
  private List<Entry.Answers> enqueue(Call.Factory calls, int count) {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    server.route(request -> seen.add(request.target()) ? Reply.status(503) : null);
    List<Entry.Answers> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Entry.Answers answer = new Entry.Answers();
      answers.add(answer);
      Request request = new Request.Builder().url(server.uri("/" + i).toString()).build();
      calls.newCall(request).enqueue(answer);
    }
    return answers;
  }

  // The places are given back a moment after the waits have begun.
  private static void awaitIdle(Dispatcher dispatcher) {
    while (dispatcher.runningCallsCount() > 0 || dispatcher.queuedCallsCount() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void callsOfAFactoryWaitAllAtOnce() throws Exception {
    int calls = 200;
    OkHttpClient client = rig.client(Rig.builder());
    List<Entry.Answers> answers = enqueue(rig.factory(client, waiting()), calls);

    rig.time.awaitPending(calls);
    awaitIdle(client.dispatcher());

    assertEquals(calls, rig.time.pending());
    assertEquals(0, client.dispatcher().runningCallsCount());
    assertEquals(0, client.dispatcher().queuedCallsCount());
    answers.forEach(each -> assertFalse(each.done()));

    rig.time.advance(WAIT);
    for (Entry.Answers each : answers) {
      try (Response response = each.get()) {
        assertEquals(200, response.code());
      }
    }
    assertEquals(2 * calls, server.requests().size());
  }

  /** A few that wait stop all others to that host. */
  @Test
  void callsThroughAnInterceptorHoldTheirPlaces() throws Exception {
    int places = 5; // per host, by default
    int pendingPerWait = Calls.okHttp4() ? 2 : 1; // OkHttp 4 has to look
    OkHttpClient client = rig.client(RetryInterceptor.addTo(Rig.builder(), waiting()));
    Dispatcher dispatcher = client.dispatcher();
    List<Entry.Answers> answers = enqueue(client, 2 * places);

    rig.time.awaitPending(places * pendingPerWait);
    assertEquals(places, dispatcher.runningCallsCount());
    assertEquals(places, dispatcher.queuedCallsCount());
    assertEquals(places, server.requests().size());

    for (Entry.Answers each : answers) {
      while (!each.done()) {
        rig.time.advance(WAIT); // as often as it takes: the others wait only now
      }
      try (Response response = each.get()) {
        assertEquals(200, response.code());
      }
    }
    assertEquals(4 * places, server.requests().size());
  }
}
