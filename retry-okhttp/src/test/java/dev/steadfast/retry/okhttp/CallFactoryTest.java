package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A factory of the user's whose calls are the attempts. */
class CallFactoryTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final Target target = rig.target(false);
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final List<OkHttpClient> clients = new CopyOnWriteArrayList<>();

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
      assertNull(response.request().tag(CallTag.class));
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

  // ---- factories that do not do what they should

  /** What a factory does instead. */
  enum Mistake {
    DROPS_THE_TAGS {
      @Override
      Call.Factory around(OkHttpClient client, OkHttpClient other) {
        CallsAround around = new CallsAround() {};
        return around.of(
            request -> client.newCall(request.newBuilder().tag(CallTag.class, null).build()));
      }
    },
    SENDS_BY_ANOTHER_CLIENT {
      @Override
      Call.Factory around(OkHttpClient client, OkHttpClient other) {
        return request -> other.newCall(request); // the client itself would be refused
      }
    };

    abstract Call.Factory around(OkHttpClient client, OkHttpClient other);
  }

  static Stream<Arguments> mistakes() {
    return Arrays.stream(Mistake.values())
        .flatMap(mistake ->
            Stream.of(Entry.EXECUTE, Entry.ENQUEUE).map(entry -> Arguments.of(mistake, entry)));
  }

  private RetryingCallFactory mistaken(Mistake mistake, HttpRetry retry) {
    OkHttpClient other = rig.client(target.client());
    return rig.factory(rig.client(target.client()), client -> mistake.around(client, other), retry);
  }

  private static Throwable failure(Entry entry, Call call) {
    if (entry == Entry.EXECUTE) {
      return assertThrows(Exception.class, call::execute);
    }
    return assertThrows(IOException.class, () -> Entry.enqueued(call));
  }

  private void assertEndedAsOneThatMayHaveActed() {
    assertEquals(1, target.deliveries());
    RetryReport report = rig.recorder.report();
    assertEquals(StopReason.USER_CODE_FAILED, report.reason());
    assertEquals(1, report.attempts());
    assertTrue(report.serverMayHaveActed());
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void anAnswerThatComesByOtherMeansEndsTheOperation(Mistake mistake, Entry entry) {
    for (int i = 0; i < 10; i++) {
      target.script(503);
    }

    Throwable thrown = failure(entry, mistaken(mistake, rig.keyed()).newCall(target.post()));

    Throwable own = entry == Entry.EXECUTE ? thrown : thrown.getCause();
    assertInstanceOf(IllegalStateException.class, own, thrown.toString());
    assertTrue(own.getMessage().startsWith("the call factory "), own.getMessage());
    assertEndedAsOneThatMayHaveActed();
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aFailureOfOtherMeansEndsTheOperation(Mistake mistake, Entry entry) {
    for (int i = 0; i < 10; i++) {
      target.script(Fault.H1_FIN);
    }

    Throwable thrown = failure(entry, mistaken(mistake, rig.keyed()).newCall(target.post()));

    assertTrue(thrown.getMessage().startsWith("unexpected end of stream"), thrown.toString());
    assertEndedAsOneThatMayHaveActed();
  }

  /** Then a request that has gone out already must not go out again when it admits. */
  @ParameterizedTest
  @MethodSource("mistakes")
  void aGuardThatRefusesAfterwardsChangesNothing(Mistake mistake, Entry entry) {
    Books books = new Books();
    books.refuse(false);
    HttpRetry retry = rig.retry().guard(books).build();

    failure(entry, mistaken(mistake, retry).newCall(target.get()));

    assertEquals(1, target.deliveries());
    assertEquals(StopReason.USER_CODE_FAILED, rig.recorder.report().reason());
  }

  @Test
  void aCallThatTheDispatcherRejectsWasNotSent() {
    RetryingCallFactory calls = calls(rig.keyed());
    calls.client().dispatcher().executorService().shutdown();

    failure(Entry.ENQUEUE, calls.newCall(target.post()));

    assertEquals(StopReason.REJECTED, rig.recorder.report().reason());
    assertFalse(rig.recorder.report().serverMayHaveActed());
  }

  /** A call that is begun when its attempt has been given up. */
  @Test
  void aCallThatIsBegunTooLateSendsNothing() throws Exception {
    Duration limit = Duration.ofSeconds(5);
    HttpRetry retry =
        rig.retry().policy(Calls.seconds().maxAttempts(1).totalTimeout(limit).build()).build();
    CountDownLatch late = new CountDownLatch(1);
    CallsAround deaf =
        new CallsAround() {
          @Override
          public void enqueue(Call inner, Callback callback) {
            rig.time.advance(limit);
            Call again = clients.get(1).newCall(inner.request()); // as one that is made lazily
            again.enqueue(callback(callback, late));
          }
        };
    RetryingCallFactory calls =
        rig.factory(
            rig.client(target.client()),
            client -> {
              clients.add(client);
              return deaf.of(client);
            },
            retry);

    failure(Entry.ENQUEUE, calls.newCall(target.post()));

    assertTrue(late.await(10, TimeUnit.SECONDS));
    assertEquals(0, target.deliveries());
    assertFalse(rig.recorder.report().serverMayHaveActed());
  }

  private static Callback callback(Callback users, CountDownLatch called) {
    return new Callback() {
      @Override
      public void onFailure(Call call, IOException failure) {
        users.onFailure(call, failure);
        called.countDown();
      }

      @Override
      public void onResponse(Call call, Response response) throws IOException {
        users.onResponse(call, response);
        called.countDown();
      }
    };
  }

  /** Whatever comes first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallThatCallsBackTwiceIsOverOnce(boolean failureFirst) throws Exception {
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    CountDownLatch both = new CountDownLatch(1);
    AtomicInteger closed = new AtomicInteger();
    CallsAround twice =
        new CallsAround() {
          @Override
          public void enqueue(Call inner, Callback callback) {
            inner.enqueue(
                new Callback() {
                  @Override
                  public void onFailure(Call call, IOException failure) {
                    throw new AssertionError(failure);
                  }

                  @Override
                  public void onResponse(Call call, Response response) throws IOException {
                    ResponseBody counting = Bodies.counting(response.body(), closed);
                    Response counted = response.newBuilder().body(counting).build();
                    if (failureFirst) {
                      callback.onFailure(call, new IOException("the first"));
                    } else {
                      callback.onResponse(call, response);
                    }
                    try {
                      callback.onResponse(call, counted);
                      callback.onFailure(call, new IOException("the last"));
                    } catch (Throwable second) {
                      thrown.add(second);
                    }
                    both.countDown();
                  }
                });
          }
        };
    RetryingCallFactory calls = rig.factory(rig.client(target.client()), twice::of, rig.once());
    Entry.Answers answers = new Entry.Answers();

    calls.newCall(target.post()).enqueue(answers);

    assertTrue(both.await(10, TimeUnit.SECONDS));
    assertEquals(List.of(), thrown);
    assertEquals(1, closed.get());
    if (failureFirst) {
      assertEquals("the first", answers.failure().getMessage());
    } else {
      answers.get().close();
    }
    assertEquals(1, rig.recorder.report().attempts());
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
