package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A call on a version of OkHttp that knows methods which the class does not. */
class CallProxyTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private Call proxy(Set<Method> unknown) {
    RetryingCallFactory factory = rig.factory(rig.retry().build());
    return CallProxy.proxy(factory.call(Calls.get(server)), unknown);
  }

  /** On the versions that are tested the class is complete. */
  @Test
  void isNotNeededHere() {
    Call call = rig.factory(rig.once()).newCall(Calls.get(server));
    assertSame(RetryingCall.class, call.getClass());
    List<Method> missing =
        Arrays.stream(Call.class.getMethods())
            .filter(method -> Modifier.isAbstract(method.getModifiers()))
            .filter(method ->
                Arrays.stream(RetryingCall.class.getMethods())
                    .noneMatch(ours ->
                        ours.getName().equals(method.getName())
                            && Arrays.equals(ours.getParameterTypes(), method.getParameterTypes())))
            .toList();
    assertEquals(List.of(), missing);
  }

  @Test
  void executesAsTheCallDoes() throws Exception {
    Call call = proxy(Set.of());
    server.enqueue(Reply.status(503));
    assertFalse(call.isExecuted());
    try (Response response = call.execute()) {
      assertEquals(200, response.code());
      assertEquals(2, OkHttpReports.of(response).attempts());
    }
    assertTrue(call.isExecuted());
    assertThrows(IllegalStateException.class, call::execute);
    call.clone().execute().close();
    assertEquals(3, server.requests().size());
  }

  @Test
  void enqueuesAndIsWhatTheCallbackGets() throws Exception {
    Call call = proxy(Set.of());
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    answers.get().close();
    assertSame(call, answers.call());
  }

  @Test
  void cancelsAndThrowsAsTheCallDoes() {
    Call call = proxy(Set.of());
    call.cancel();
    assertTrue(call.isCanceled());
    IOException thrown = assertThrows(IOException.class, call::execute);
    assertEquals("Canceled", thrown.getMessage());
    assertEquals(StopReason.CANCELLED, RetryReport.of(thrown).orElseThrow().reason());
  }

  @Test
  void whatIsUnknownGoesToARealCall() throws Exception {
    Call call = proxy(Set.of(Call.class.getMethod("isExecuted"), Call.class.getMethod("timeout")));
    assertNotSame(call.timeout(), proxy(Set.of()).timeout());
    call.execute().close();
    assertFalse(call.isExecuted()); // the prototype is never executed
    assertEquals(1, server.requests().size());
  }

  @Test
  void isEqualToItselfAlone() {
    Call call = proxy(Set.of());
    Call other = proxy(Set.of());
    Set<Call> calls = new HashSet<>(List.of(call, other));
    assertEquals(call, call);
    assertNotEquals(call, other);
    assertTrue(calls.remove(call));
    assertEquals(Set.of(other), calls);
    assertTrue(call.toString().startsWith("RetryingCall("));
  }

  @Test
  void thePrototypeKnowsTheRequest() {
    RetryingCallFactory factory = rig.factory(rig.retry().build());
    Request request = Calls.get(server).newBuilder().tag(String.class, "mine").build();
    RetryingCall call = factory.call(request);
    assertSame(request, call.prototype().request());
    assertSame(call.prototype(), call.prototype());
  }
}
