package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.GzipSink;
import okio.Okio;
import okio.Source;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Request bodies that yield other bytes when they are asked again, and do not say so. */
class ChangedBodyTest {
  private static final MediaType TEXT = MediaType.get("text/plain");
  private static final String SHORT = "the only copy";
  private static final String LONG = "0123456789abcdef".repeat(8000);

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A body that nobody has told that it can be written once. */
  private abstract static class Unaware extends RequestBody {
    @Override
    public MediaType contentType() {
      return TEXT;
    }
  }

  /** Bodies that are empty, or the rest, when they are asked again. */
  enum Kind {
    INPUT_STREAM {
      @Override
      RequestBody of(String text) {
        InputStream stream = stream(text);
        return new Unaware() {
          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(Okio.source(stream));
          }
        };
      }
    },
    INPUT_STREAM_OF_KNOWN_LENGTH {
      @Override
      RequestBody of(String text) {
        InputStream stream = stream(text);
        return new Unaware() {
          @Override
          public long contentLength() {
            return text.length();
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(Okio.source(stream));
          }
        };
      }
    },
    INPUT_STREAM_OF_AVAILABLE_LENGTH {
      @Override
      RequestBody of(String text) {
        InputStream stream = stream(text);
        return new Unaware() {
          @Override
          public long contentLength() throws IOException {
            return stream.available();
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(Okio.source(stream));
          }
        };
      }
    },
    SOURCE_CLOSED_WITH_THE_SINK {
      @Override
      RequestBody of(String text) {
        Source source = Okio.source(stream(text));
        return new Unaware() {
          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            try (sink) {
              sink.writeAll(source);
            }
          }
        };
      }
    },
    BUFFER {
      @Override
      RequestBody of(String text) {
        Buffer buffer = new Buffer().writeUtf8(text);
        return new Unaware() {
          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(buffer);
          }
        };
      }
    },
    MULTIPART {
      @Override
      RequestBody of(String text) {
        return new MultipartBody.Builder("--limit--")
            .setType(MultipartBody.FORM)
            .addFormDataPart("file", "name", INPUT_STREAM.of(text))
            .build();
      }
    },
    MULTIPART_OF_AVAILABLE_LENGTH {
      @Override
      RequestBody of(String text) {
        return new MultipartBody.Builder("--limit--")
            .addPart(INPUT_STREAM_OF_AVAILABLE_LENGTH.of(text))
            .build();
      }
    },
    OTHER_BYTES_OF_THE_SAME_LENGTH {
      @Override
      RequestBody of(String text) {
        AtomicInteger asked = new AtomicInteger();
        return new Unaware() {
          @Override
          public long contentLength() {
            return text.length() + 1L;
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeUtf8(text).writeUtf8("" + asked.getAndIncrement());
          }
        };
      }
    },
    LONGER {
      @Override
      RequestBody of(String text) {
        AtomicInteger asked = new AtomicInteger();
        return new Unaware() {
          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeUtf8(text).writeUtf8("again".repeat(asked.getAndIncrement()));
          }
        };
      }
    };

    abstract RequestBody of(String text);
  }

  private static Stream<Arguments> all() {
    return Stream.of(Way.values())
        .flatMap(way ->
            Stream.of(Kind.values())
                .flatMap(kind ->
                    Stream.of(SHORT, LONG).map(text -> Arguments.of(way, kind, text.length()))));
  }

  private Request put(RequestBody body) {
    return Calls.get(server).newBuilder().put(body).build();
  }

  private static String text(int length) {
    return length == SHORT.length() ? SHORT : LONG;
  }

  @ParameterizedTest
  @MethodSource("all")
  void theAnswerBeforeIsTheCallers(Way way, Kind kind, int length) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(Reply.status(503).header("X-Why", "load").body("busy"));

    Entry.Outcome got = way.make(calls.newCall(put(kind.of(text(length)))));

    assertEquals(503, got.status(), got.toString());
    assertEquals("busy", got.body());
    assertEquals("load", got.headers().get("X-Why"));
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(2, got.report().attempts());
    assertEquals(1, server.requests().size(), "no other body has arrived whole");
  }

  @ParameterizedTest
  @MethodSource("all")
  void orTheFailureBefore(Way way, Kind kind, int length) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(Reply.closeAfterRequest());

    Entry.Outcome got = way.make(calls.newCall(put(kind.of(text(length)))));

    assertEquals("unexpected end of stream", message(got.failure()));
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertTrue(got.report().outcomeUnknown());
    assertEquals(1, server.requests().size(), "no other body has arrived whole");
  }

  private static String message(IOException failure) {
    return failure.getMessage().replaceAll(" on .*", "");
  }

  /** The connection breaks while the body is on its way, so that the rest is left for the next. */
  @ParameterizedTest
  @EnumSource
  void aRestIsNotSent(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(Reply.closeOnHead(), Reply.closeOnHead());

    Entry.Outcome got = way.make(calls.newCall(put(Kind.INPUT_STREAM.of(LONG.repeat(200)))));

    assertInstanceOf(IOException.class, got.failure());
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(2, got.report().attempts());
  }

  @ParameterizedTest
  @EnumSource
  void aPostWithAKey(Way way) {
    Call.Factory calls =
        way.calls(rig, rig.retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build());
    server.enqueue(Reply.closeAfterRequest());

    Request post = Calls.get(server).newBuilder().post(Kind.INPUT_STREAM.of(SHORT)).build();
    Entry.Outcome got = way.make(calls.newCall(post));

    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(List.of(SHORT), server.requests().stream().map(Received::bodyText).toList());
  }

  /** Reading it for a key counts as the first time. */
  @ParameterizedTest
  @MethodSource("all")
  void aBodyThatWasReadBeforehandIsNotSent(Way way, Kind kind, int length) {
    Call.Factory calls =
        way.calls(rig, rig.retry().idempotencyKeys(IdempotencyKeys.requestHash()).build());
    Request post = Calls.get(server).newBuilder().post(kind.of(text(length))).build();

    Entry.Outcome got = way.make(calls.newCall(post));

    assertInstanceOf(RequestBodyChangedException.class, got.failure());
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(0, server.requests().size(), "no other body has arrived whole");
  }

  /** An interceptor hides the bytes of the body. */
  @ParameterizedTest
  @MethodSource("all")
  void norOneWithinAWrapperOfAnInterceptor(Way way, Kind kind, int length) {
    Call.Factory calls =
        packed(way, rig.retry().idempotencyKeys(IdempotencyKeys.requestHash()).build());
    Request post = Calls.get(server).newBuilder().post(kind.of(text(length))).build();

    Entry.Outcome got = way.make(calls.newCall(post));

    assertInstanceOf(RequestBodyChangedException.class, got.failure());
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(0, server.requests().size(), "no other body has arrived whole");
  }

  /** A network interceptor logs the body, after the library has come to watch it. */
  @ParameterizedTest
  @EnumSource(names = {"INTERCEPTOR", "INTERCEPTOR_ENQUEUE"})
  void aBodyThatIsLoggedIsSentAgain(Way way) {
    List<Long> logged = new CopyOnWriteArrayList<>();
    Interceptor log =
        chain -> {
          Buffer read = new Buffer();
          chain.request().body().writeTo(read);
          logged.add(read.size());
          return chain.proceed(chain.request());
        };
    OkHttpClient wrapped = (OkHttpClient) way.calls(rig, rig.retry().build());
    Call.Factory calls = rig.plain(wrapped.newBuilder().addNetworkInterceptor(log));
    server.enqueue(Reply.status(307).header("Location", "/next"), Reply.status(503));

    Entry.Outcome got = way.make(calls.newCall(put(Bodies.streaming(10))));

    assertEquals(200, got.status(), got.toString());
    assertEquals(List.of(70L, 70L, 70L), logged);
    server.requests().forEach(each -> assertEquals(70, each.bodyText().length()));
  }

  /** Within the attempt there is no answer that could be handed back. */
  @ParameterizedTest
  @EnumSource
  void aRedirectedBodyThatHasChanged(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(Reply.status(307).header("Location", "/next"));

    Entry.Outcome got = way.make(calls.newCall(put(Kind.INPUT_STREAM.of(SHORT))));

    assertInstanceOf(RequestBodyChangedException.class, got.failure());
    assertEquals(
        "request body: 0 bytes that differ from the 13 bytes of the first time (expected: the same"
            + " bytes each time it is sent)",
        got.failure().getMessage());
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(1, server.requests().size());
  }

  /** An interceptor wraps the body anew for each attempt. */
  @ParameterizedTest
  @EnumSource
  void withinAWrapperOfAnInterceptor(Way way) {
    Call.Factory calls = packed(way, rig.retry().build());
    server.enqueue(Reply.status(503).body("busy"));

    Entry.Outcome got = way.make(calls.newCall(put(Kind.INPUT_STREAM.of(SHORT))));

    assertEquals("busy", got.body(), got.toString());
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(1, server.requests().size());

    server.enqueue(Reply.status(503).body("busy"));
    assertEquals(200, way.make(calls.newCall(put(Bodies.streaming(10)))).status());
  }

  /** Calls through an interceptor that packs each body, within ours. */
  private Call.Factory packed(Way way, HttpRetry retry) {
    OkHttpClient.Builder client = Rig.builder();
    Interceptor gzip =
        chain -> {
          Request plain = chain.request();
          return chain.proceed(
              plain.newBuilder().method(plain.method(), gzip(plain.body())).build());
        };
    client.addNetworkInterceptor(
        chain -> chain.proceed(chain.request().newBuilder().header("X-Seen", "1").build()));
    if (way == Way.EXECUTE || way == Way.ENQUEUE) {
      client.addInterceptor(gzip);
    }
    Call.Factory calls = way.calls(rig, client, retry);
    if (way == Way.INTERCEPTOR || way == Way.INTERCEPTOR_ENQUEUE) {
      calls = rig.plain(((OkHttpClient) calls).newBuilder().addInterceptor(gzip));
    }
    return calls;
  }

  private static RequestBody gzip(RequestBody body) {
    return new Unaware() {
      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        BufferedSink gzip = Okio.buffer(new GzipSink(sink));
        body.writeTo(gzip);
        gzip.close();
      }
    };
  }

  /** A token in the chain: two requests of an attempt with bodies of their own. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void otherRequestsOfAnInterceptorAreNotCompared(Way way) {
    OkHttpClient.Builder client = Rig.builder();
    client.addInterceptor(chain -> {
      Request token = chain.request().newBuilder().put(Kind.BUFFER.of("a token")).build();
      chain.proceed(token).close();
      return chain.proceed(chain.request());
    });
    Call.Factory calls = way.calls(rig, client, rig.retry().build());

    assertEquals(200, way.make(calls.newCall(put(Bodies.streaming(10)))).status());
    assertEquals(2, server.requests().size());
  }

  /** An interceptor reads the body into memory, and the first attempt does not reach the server. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aBodyThatAnInterceptorHasReadIsNotSentEmpty(Way way) {
    AtomicInteger lookups = new AtomicInteger();
    OkHttpClient.Builder client =
        Rig.builder()
            .dns(host -> {
              if (lookups.incrementAndGet() == 1) {
                throw new UnknownHostException(host);
              }
              return List.of(InetAddress.getLoopbackAddress());
            });
    client.addInterceptor(chain -> {
      Buffer read = new Buffer();
      chain.request().body().writeTo(read);
      RequestBody copy = RequestBody.create(read.readByteString(), TEXT);
      return chain.proceed(chain.request().newBuilder().put(copy).build());
    });
    Call.Factory calls = way.calls(rig, client, rig.retry().build());
    Buffer once = new Buffer().writeUtf8(SHORT);
    RequestBody body =
        new Unaware() {
          @Override
          public boolean isOneShot() {
            return true;
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(once);
          }
        };
    Request request =
        put(body).newBuilder().url("http://service.test:" + server.port() + "/").build();

    Entry.Outcome got = way.make(calls.newCall(request));

    assertInstanceOf(UnknownHostException.class, got.failure());
    assertEquals(StopReason.BODY_CHANGED, got.report().reason());
    assertEquals(0, server.requests().size());
  }

  /** The connection was closed while idle: nothing was sent, and nothing may be read for that. */
  @ParameterizedTest
  @EnumSource
  void aBodyIsNotReadForAConnectionThatIsDead(Way way) throws Exception {
    CountDownLatch close = new CountDownLatch(1);
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(Reply.status(200).body("ok").thenCloseWhen(close));
    assertEquals(200, way.make(calls.newCall(Calls.get(server))).status());
    close.countDown();
    server.awaitNoOpenConnections(Duration.ofSeconds(30));

    Request post = Calls.get(server).newBuilder().post(Kind.INPUT_STREAM.of(SHORT)).build();
    assertEquals(200, way.make(calls.newCall(post)).status());

    assertEquals(SHORT, server.requests().get(1).bodyText());
  }

  /** Each attempt sends the same. */
  @ParameterizedTest
  @EnumSource
  void aBodyThatDoesNotChangeIsSentAgain(Way way) {
    Call.Factory calls = way.calls(rig, rig.retry().build());
    server.enqueue(
        Reply.status(503), Reply.closeOnHead(), Reply.status(307).header("Location", "/"));

    Entry.Outcome got = way.make(calls.newCall(put(Bodies.streaming(10_000))));

    assertEquals(200, got.status(), got.toString());
    assertEquals(3, got.report().attempts());
    List<Received> whole = server.requests();
    assertEquals(
        whole.get(0).bodyText(), whole.get(whole.size() - 1).bodyText(), "of the last one");
  }
}
