package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An enqueued call with a {@link RetryInterceptor} finds the context in which it was made. */
class CallerContextTest {
  /** As a logging or tracing library keeps it. */
  private static final ThreadLocal<String> TRACE = new ThreadLocal<>();

  private final Rig rig = new Rig();
  private final ScriptedServer server = ScriptedServer.start();
  private final ExecutorService one = Executors.newSingleThreadExecutor();
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() throws InterruptedException {
    TRACE.remove();
    rig.close();
    one.shutdownNow();
    server.close();
  }

  private static ContextCapture.Snapshot capture() {
    String trace = TRACE.get();
    return () -> {
      String before = TRACE.get();
      TRACE.set(trace);
      return () -> TRACE.set(before);
    };
  }

  private void look(String where) {
    seen.add(where + " " + TRACE.get());
  }

  private OkHttpClient client(ContextCapture capture) {
    RetryListener looking =
        new RetryListener() {
          @Override
          public void attemptStarted(OperationInfo operation, int attempt, Object request) {
            look("attempt " + attempt);
          }
        };
    Interceptor first =
        chain -> {
          look("interceptor");
          return chain.proceed(chain.request());
        };
    HttpRetry retry = rig.retry().context(capture).listener(looking).build();
    OkHttpClient.Builder builder = Rig.builder().dispatcher(new Dispatcher(one));
    return rig.client(RetryInterceptor.addTo(builder.addInterceptor(first), retry));
  }

  private static int enqueue(Call call) throws Exception {
    try (Response response = Entry.enqueued(call)) {
      return response.code();
    }
  }

  @Test
  void interceptorsAndAttemptsSeeIt_andTheThreadKeepsNothing() throws Exception {
    OkHttpClient client = client(CallerContextTest::capture);
    server.enqueue(Reply.status(503));
    TRACE.set("trace-1");
    Call call = client.newCall(Calls.get(server));
    TRACE.set("trace-2");
    assertEquals(200, enqueue(call));
    assertEquals(List.of("interceptor trace-1", "attempt 1 trace-1", "attempt 2 trace-1"), seen);
    one.submit(() -> look("after")).get();
    assertEquals("after null", seen.get(3));
  }

  /** A call that is executed stays on its thread, and sees what that has now. */
  @Test
  void aCallThatIsExecutedSeesItsThread() throws Exception {
    OkHttpClient client = client(CallerContextTest::capture);
    TRACE.set("trace-1");
    Call call = client.newCall(Calls.get(server));
    TRACE.set("trace-2");
    call.execute().close();
    assertEquals(List.of("interceptor trace-2", "attempt 1 trace-2"), seen);
  }

  @Test
  void aContextThatCannotBeRestored_changesNothing() throws Exception {
    OkHttpClient client =
        client(() ->
            () -> {
              throw new IllegalStateException("cannot be restored");
            });
    assertEquals(200, enqueue(client.newCall(Calls.get(server))));
    OkHttpClient other =
        client(() ->
            () ->
                () -> {
                  throw new IllegalStateException("cannot be undone");
                });
    assertEquals(200, enqueue(other.newCall(Calls.get(server))));
  }

  /** The factory takes the interceptor out of the client that it wraps, with its other parts. */
  @Test
  void aFactoryAroundTheClientCarriesItsOwnContext() throws Exception {
    OkHttpClient client = client(CallerContextTest::capture);
    Call.Factory calls = rig.factory(client, rig.retry().build());
    TRACE.set("trace-1");
    assertEquals(200, enqueue(calls.newCall(Calls.get(server))));
    assertEquals(List.of("interceptor null"), seen);
  }
}
