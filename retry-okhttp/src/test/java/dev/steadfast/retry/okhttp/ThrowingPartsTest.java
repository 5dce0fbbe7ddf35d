package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.ForwardingSource;
import okio.Okio;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a part of the user's throws, the operation ends once and nothing is left behind. */
class ThrowingPartsTest {
  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();
  private final LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    books.assertBalanced();
    server.assertNoLeaks();
    server.close();
  }

  /** What is thrown. */
  enum Thrown {
    ERROR,
    RUNTIME_EXCEPTION,
    CHECKED_EXCEPTION;

    void now() {
      ThrowingPartsTest.<RuntimeException>sneak(
          switch (this) {
            case ERROR -> new LinkageError("thrown");
            case RUNTIME_EXCEPTION -> new IllegalStateException("thrown");
            case CHECKED_EXCEPTION -> new Exception("thrown");
          });
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** Who throws it. */
  enum Part {
    DISCARDED_BODY,
    DISCARDED_BODY_CLOSED,
    BUFFERED_BODY,
    BUFFERED_BODY_CLOSED,
    INTERCEPTOR,
    NETWORK_INTERCEPTOR,
    DNS,
    REQUEST_BODY,
    CALL_STARTS,
    DNS_STARTS,
    REQUEST_STARTS,
    CALL_ENDS;

    private boolean discarded() {
      return this == DISCARDED_BODY || this == DISCARDED_BODY_CLOSED;
    }

    private boolean ofBody() {
      return discarded() || this == BUFFERED_BODY || this == BUFFERED_BODY_CLOSED;
    }
  }

  static List<Arguments> all() {
    List<Arguments> all = new ArrayList<>();
    for (Part part : Part.values()) {
      for (Thrown thrown : Thrown.values()) {
        for (Entry entry : Entry.values()) {
          all.add(Arguments.of(part, thrown, entry));
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("all")
  void theOperationEnds(Part part, Thrown thrown, Entry entry) {
    HttpRetry retry = rig.retry().bufferBodiesUpTo(100).budget(books).guard(books).build();
    OkHttpClient.Builder builder = clientWith(part, thrown);
    OkHttpClient client;
    Call.Factory calls;
    if (entry == Entry.INTERCEPTOR) {
      List<okhttp3.Interceptor> inner = List.copyOf(builder.interceptors());
      builder.interceptors().clear();
      RetryInterceptor.addTo(builder, retry);
      builder.interceptors().addAll(inner);
      client = rig.client(builder);
      calls = client;
    } else {
      client = rig.client(builder);
      calls = rig.factory(client, retry);
    }
    if (part.discarded()) {
      server.enqueue(Reply.status(503).body("no"));
    }

    Object end = end(entry, calls.newCall(request(part, thrown)));

    if (part.discarded()) {
      assertEquals(200, end);
    } else {
      Throwable root = (Throwable) end;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      boolean told = "thrown".equals(root.getMessage()) || root.getSuppressed().length > 0;
      assertTrue(told, end.toString());
    }
  }

  private Object end(Entry entry, Call call) {
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      return response.code();
    } catch (Throwable thrown) {
      return thrown;
    }
  }

  private OkHttpClient.Builder clientWith(Part part, Thrown thrown) {
    OkHttpClient.Builder builder = Rig.builder().dispatcher(OutcomeTest.reporting(uncaught));
    if (part.ofBody()) {
      builder.addInterceptor(chain -> {
        Response response = chain.proceed(chain.request());
        boolean meant = part.discarded() == (response.code() == 503);
        return meant
            ? response.newBuilder().body(throwing(part, thrown, response.body())).build()
            : response;
      });
    }
    switch (part) {
      case INTERCEPTOR ->
          builder.addInterceptor(chain -> {
            thrown.now();
            return chain.proceed(chain.request());
          });
      case NETWORK_INTERCEPTOR ->
          builder.addNetworkInterceptor(chain -> {
            thrown.now();
            return chain.proceed(chain.request());
          });
      case DNS ->
          builder.dns(host -> {
            thrown.now();
            return List.of();
          });
      default -> builder.eventListener(new Listener(part, thrown));
    }
    return builder;
  }

  private Request request(Part part, Thrown thrown) {
    Request get = Calls.get(server);
    if (part == Part.DNS || part == Part.DNS_STARTS) {
      return get.newBuilder().url(get.url().newBuilder().host("service.test").build()).build();
    }
    if (part != Part.REQUEST_BODY) {
      return get;
    }
    RequestBody body =
        new RequestBody() {
          @Override
          public MediaType contentType() {
            return null;
          }

          @Override
          public void writeTo(BufferedSink sink) {
            thrown.now();
          }
        };
    return get.newBuilder().put(body).build();
  }

  private static ResponseBody throwing(Part part, Thrown thrown, ResponseBody body) {
    boolean closed = part == Part.DISCARDED_BODY_CLOSED || part == Part.BUFFERED_BODY_CLOSED;
    ForwardingSource source =
        new ForwardingSource(body.source()) {
          @Override
          public long read(Buffer sink, long byteCount) throws IOException {
            if (!closed || part == Part.BUFFERED_BODY_CLOSED) {
              thrown.now();
            }
            return super.read(sink, byteCount);
          }

          @Override
          public void close() throws IOException {
            super.close();
            if (closed) {
              thrown.now();
            }
          }
        };
    return ResponseBody.create(Okio.buffer(source), body.contentType(), -1);
  }

  private static final class Listener extends EventListener {
    private final Part part;
    private final Thrown thrown;

    Listener(Part part, Thrown thrown) {
      this.part = part;
      this.thrown = thrown;
    }

    private void at(Part event) {
      if (part == event) {
        thrown.now();
      }
    }

    @Override
    public void callStart(Call call) {
      at(Part.CALL_STARTS);
    }

    @Override
    public void dnsStart(Call call, String host) {
      at(Part.DNS_STARTS);
    }

    @Override
    public void requestHeadersStart(Call call) {
      at(Part.REQUEST_STARTS);
    }

    @Override
    public void callEnd(Call call) {
      at(Part.CALL_ENDS);
    }
  }

  /** The exception goes where OkHttp passes it, and no callback is called twice. */
  @ParameterizedTest
  @EnumSource
  void aCallbackThatThrowsIsCalledOnce(Thrown thrown) throws Exception {
    OkHttpClient client = rig.client(Rig.builder().dispatcher(OutcomeTest.reporting(uncaught)));
    CompletableFuture<Integer> called = new CompletableFuture<>();
    rig.factory(client, rig.retry().budget(books).guard(books).build())
        .newCall(Calls.get(server))
        .enqueue(
            new Callback() {
              @Override
              public void onFailure(Call call, IOException failure) {
                called.completeExceptionally(failure);
              }

              @Override
              public void onResponse(Call call, Response response) {
                response.close();
                if (!called.complete(response.code())) {
                  called.obtrudeException(new AssertionError("called twice"));
                }
                thrown.now();
              }
            });
    assertEquals(200, called.get(20, TimeUnit.SECONDS));
    Throwable reported = uncaught.poll(20, TimeUnit.SECONDS);
    assertEquals("thrown", reported.getMessage());
    assertSame(null, uncaught.poll());
  }
}
