package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okio.BufferedSink;
import okio.ByteString;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Request bodies that close their sink: a wrapped client does with them what the plain one does.
 */
class ClosedSinkTest {
  private static final String SHORT = "{\"cents\": 1999}";
  private static final String LONG = "0123456789abcdef".repeat(5000);

  private final Rig rig = new Rig();
  private final MockWebServer server = new MockWebServer();
  private int sent;

  @BeforeEach
  void start() throws IOException {
    server.start();
  }

  @AfterEach
  void leavesNothing() throws Exception {
    rig.close();
    server.close();
  }

  /** What a body does with its sink. */
  enum Writes {
    CLOSES {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        sink.writeUtf8(text).close();
      }
    },
    CLOSES_TWICE {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        sink.writeUtf8(text).close();
        sink.close();
      }
    },
    CLOSES_A_WRITER {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        try (Writer json = new OutputStreamWriter(sink.outputStream(), StandardCharsets.UTF_8)) {
          json.write(text);
        }
      }
    },
    CLOSES_A_GZIP_STREAM {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        try (GZIPOutputStream gzip = new GZIPOutputStream(sink.outputStream())) {
          gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
      }
    },
    CLOSES_AND_WRITES_ON {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        sink.writeUtf8(text).close();
        sink.writeUtf8(text).flush();
      }
    },
    CLOSES_AND_FAILS {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        sink.writeUtf8(text).close();
        throw new IOException("too late");
      }
    },
    CLOSES_TOO_EARLY {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        sink.writeUtf8(text.substring(1)).close();
      }
    },
    FLUSHES {
      @Override
      void to(BufferedSink sink, String text) throws IOException {
        sink.writeUtf8(text).flush();
      }
    };

    abstract void to(BufferedSink sink, String text) throws IOException;
  }

  private record Body(Writes writes, String text, boolean lengthKnown, boolean oneShot) {
    RequestBody make() {
      return new RequestBody() {
        @Override
        public MediaType contentType() {
          return MediaType.get("application/json");
        }

        @Override
        public long contentLength() {
          return lengthKnown ? text.length() : -1;
        }

        @Override
        public boolean isOneShot() {
          return oneShot;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
          writes.to(sink, text);
        }
      };
    }

    @Override
    public String toString() {
      return writes
          + (text.equals(LONG) ? " long" : " short")
          + (lengthKnown ? " of known length" : "")
          + (oneShot ? " once" : "");
    }
  }

  /** What came of a call, at both ends. */
  private record End(String caller, String server) {}

  private static Stream<Body> bodies() {
    return Stream.of(Writes.values())
        .flatMap(writes ->
            Stream.of(SHORT, LONG)
                .flatMap(text ->
                    Stream.of(false, true)
                        .flatMap(known ->
                            Stream.of(false, true)
                                .map(once -> new Body(writes, text, known, once)))))
        .filter(body -> !(body.lengthKnown() && body.writes() == Writes.CLOSES_A_GZIP_STREAM));
  }

  private static Stream<Arguments> all() {
    return Stream.of(Way.values())
        .flatMap(way ->
            Stream.of(Protocol.HTTP_1_1, Protocol.H2_PRIOR_KNOWLEDGE)
                .map(protocol -> Arguments.of(way, protocol)));
  }

  private OkHttpClient.Builder client(Protocol protocol) {
    server.setProtocols(List.of(protocol));
    return Rig.builder().protocols(List.of(protocol));
  }

  private End send(Way way, Call.Factory calls, RequestBody body) throws Exception {
    server.enqueue(new MockResponse().setBody("stored"));
    String path = "/payments/" + sent++;
    Request request = new Request.Builder().url(server.url(path)).post(body).build();
    try {
      Entry.Outcome got = way.make(calls.newCall(request));
      return got.failure() == null
          ? new End(got.status() + got.body(), received(path))
          : new End(got.failure().toString(), "");
    } catch (RuntimeException thrown) {
      return new End(thrown.toString(), "");
    }
  }

  // Requests that were broken off may be recorded, too, at any time.
  private String received(String path) throws InterruptedException {
    RecordedRequest received = server.takeRequest();
    while (!path.equals(received.getPath())) {
      received = server.takeRequest();
    }
    return received.getHeader("Content-Length")
        + received.getHeader("Transfer-Encoding")
        + received.getBody().readByteString().sha256().hex();
  }

  @ParameterizedTest
  @MethodSource("all")
  void nothingIsDifferent(Way way, Protocol protocol) throws Exception {
    Call.Factory plain = rig.plain(client(protocol));
    Call.Factory wrapped = way.calls(rig, client(protocol), rig.once());
    for (Body body : bodies().toList()) {
      if (way == Way.EXECUTE || way == Way.INTERCEPTOR || !throwsAtRuntime(body)) {
        assertEquals(
            send(way, plain, body.make()), send(way, wrapped, body.make()), body.toString());
      }
    }
  }

  // Where a body throws an unchecked exception, OkHttp throws it on the dispatcher's thread, too.
  private static boolean throwsAtRuntime(Body body) {
    return body.writes() == Writes.CLOSES_AND_WRITES_ON;
  }

  /** OkHttp's own interceptor, from its documentation. */
  @ParameterizedTest
  @MethodSource("all")
  void theGzipInterceptor(Way way, Protocol protocol) throws Exception {
    Interceptor gzip =
        chain -> {
          Request original = chain.request();
          return chain.proceed(
              original
                  .newBuilder()
                  .header("Content-Encoding", "gzip")
                  .method(original.method(), gzip(original.body()))
                  .build());
        };
    Call.Factory plain = rig.plain(client(protocol).addInterceptor(gzip));
    Call.Factory wrapped = way.calls(rig, client(protocol).addInterceptor(gzip), rig.once());
    for (String text : List.of(SHORT, LONG)) {
      RequestBody body = RequestBody.create(ByteString.encodeUtf8(text), null);
      assertEquals(send(way, plain, body), send(way, wrapped, body));
    }
  }

  private static RequestBody gzip(RequestBody body) {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return body.contentType();
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        BufferedSink gzip = Okio.buffer(new GzipSink(sink));
        body.writeTo(gzip);
        gzip.close();
      }
    };
  }
}
