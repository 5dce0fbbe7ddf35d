package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A key header of the caller's that is no key. */
class MalformedKeyTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private Request request() {
    return Calls.post(server).newBuilder().header("Idempotency-Key", "k".repeat(300)).build();
  }

  @Test
  void theFactoryRefusesIt() {
    Call.Factory calls = rig.factory(rig.keyed());
    assertThrows(IllegalArgumentException.class, () -> calls.newCall(request()));
  }

  /** An unchecked exception would end the dispatcher's thread, and on Android the process. */
  @Test
  void throughTheInterceptorItIsAFailureOfTheCall() throws Exception {
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
    try {
      OkHttpClient.Builder builder = Rig.builder().dispatcher(new Dispatcher());
      OkHttpClient client = rig.client(RetryInterceptor.addTo(builder, rig.keyed()));

      assertSaid(assertThrows(IOException.class, () -> client.newCall(request()).execute()));
      assertSaid(assertThrows(IOException.class, () -> Entry.enqueued(client.newCall(request()))));

      rig.close(); // the dispatcher's threads have ended
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertEquals(List.of(), uncaught);
    assertEquals(List.of(), server.requests());
  }

  private static void assertSaid(IOException failure) {
    assertInstanceOf(IllegalArgumentException.class, failure.getCause());
    assertEquals(failure.getCause().getMessage(), failure.getMessage());
    assertTrue(failure.getMessage().contains("300"), failure.getMessage());
  }
}
