package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A factory of the user's whose calls are the attempts. */
class CallFactoryTest {
  private final Rig rig = new Rig();
  private final Target target = new Target(false);
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final List<OkHttpClient> clients = new CopyOnWriteArrayList<>();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    target.assertNoLeaks();
    target.close();
  }

  private RetryingCallFactory calls(HttpRetry retry) {
    return rig.factory(rig.client(target.client()), this::decorating, retry);
  }

  /** As telemetry does it: a copy of the request, and a call around the client's. */
  private Call.Factory decorating(OkHttpClient client) {
    clients.add(client);
    return request ->
        decorated(client.newCall(request.newBuilder().header("X-Trace", "1").build()));
  }

  // A proxy, because versions of OkHttp differ in the methods of a call.
  @SuppressWarnings("ReferenceEquality") // a proxy equals itself
  private Call decorated(Call call) {
    return (Call)
        Proxy.newProxyInstance(
            CallFactoryTest.class.getClassLoader(),
            new Class<?>[] {Call.class},
            (self, method, arguments) -> {
              if (method.getName().equals("equals")) {
                return same(self, arguments[0]);
              }
              if (method.getName().equals("execute") || method.getName().equals("cancel")) {
                events.add(method.getName());
              }
              if (method.getName().equals("enqueue")) {
                events.add("enqueue");
                arguments = new Object[] {named((Callback) arguments[0], call)};
              }
              try {
                return method.invoke(call, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @SuppressWarnings("ReferenceEquality") // a call is equal to itself alone
  private static boolean same(Object one, Object other) {
    return one == other;
  }

  private static Callback named(Callback callback, Call call) {
    return new Callback() {
      @Override
      public void onFailure(Call unused, IOException failure) {
        callback.onFailure(call, failure);
      }

      @Override
      public void onResponse(Call unused, Response response) throws IOException {
        callback.onResponse(call, response);
      }
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void eachAttemptIsACallOfTheFactory(Entry entry) {
    target.script(503, "Retry-After", "0");
    target.script(Fault.H1_FIN);
    RetryingCallFactory calls = calls(rig.keyed());

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    String how = entry == Entry.EXECUTE ? "execute" : "enqueue";
    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of(how, how, how), events);
    assertEquals(3, target.deliveries());
    assertEquals(3, rig.recorder.deliveries());
    assertTrue(
        target.h1().requests().stream().allMatch(each -> each.header("X-Trace").isPresent()));
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void okHttpResendsNothingBeneathIt(Entry entry) throws Exception {
    RetryingCallFactory calls = calls(rig.once());
    target.warmUp(calls);
    rig.recorder.forget();
    for (String status : List.of("408", "503")) {
      target.script(Integer.parseInt(status), "Retry-After", "0");
      assertEquals(Integer.parseInt(status), entry.make(calls.newCall(target.post())).status());
    }
    target.script(Fault.H1_FIN);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertNotNull(got.failure());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(3, target.deliveries());
    assertEquals(3, rig.recorder.deliveries());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void theRequestOfTheAnswerHasNoTagOfOurs(Entry entry) throws IOException {
    target.script(302, "Location", "/elsewhere");
    RetryingCallFactory calls = calls(rig.once());
    Call call = calls.newCall(target.get());
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals("/elsewhere", response.request().url().encodedPath());
      assertNull(response.request().tag(AttemptTag.class));
    }
  }

  @Test
  void aCancelReachesTheCallOfTheFactory() {
    RetryingCallFactory calls = calls(rig.once());
    Call call = calls.newCall(target.get());
    target.h1().whenRequest(request -> call.cancel());

    Entry.Outcome got = Entry.EXECUTE.make(call);

    assertEquals(StopReason.CANCELLED, got.report().reason(), got.toString());
    assertTrue(events.contains("cancel"), events.toString());
  }

  @Test
  void whatIsNotRetriedGoesThroughTheFactoryOnTheGivenClient() {
    RetryingCallFactory calls = calls(rig.once());
    Request upgrade = target.get().newBuilder().header("Upgrade", "websocket").build();

    assertEquals(200, Entry.EXECUTE.make(calls.newCall(upgrade)).status());

    assertEquals(List.of("execute"), events);
    assertEquals(2, clients.size());
    assertEquals(List.of(), rig.recorder.attempts());
  }

  @Test
  void needsAFactory() {
    OkHttpClient client = rig.client(Rig.builder());
    HttpRetry once = rig.once();
    AtomicInteger asked = new AtomicInteger();
    assertThrows(NullPointerException.class, () -> RetryingCallFactory.wrap(client, null, once));
    assertThrows(
        NullPointerException.class,
        () ->
            RetryingCallFactory.wrap(
                client,
                each -> {
                  asked.incrementAndGet();
                  return null;
                },
                once));
    assertEquals(1, asked.get());
  }
}
