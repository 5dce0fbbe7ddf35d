package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.GzipSink;
import okio.Okio;
import okio.Source;
import okio.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A journal keeps of an answer what was read within the attempt, and no more. */
class KeptAnswerTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final JournalUnderTest journal = new JournalUnderTest(null);

  private Call.Factory calls(Entry entry, OkHttpClient.Builder client) {
    return calls(entry, client, rig.retry());
  }

  private Call.Factory calls(Entry entry, OkHttpClient.Builder client, HttpRetry.Builder retry) {
    return rig.calls(entry, client, retry.journal(journal).build());
  }

  /** A client with a network interceptor that replaces the body of each answer. */
  private Call.Factory replacing(Entry entry, Replacement replacement) {
    OkHttpClient.Builder client =
        Rig.builder()
            .addNetworkInterceptor(chain -> {
              Response response = chain.proceed(chain.request());
              return response.newBuilder().body(replacement.of(response.body())).build();
            });
    return calls(entry, client);
  }

  /** Makes another body of one. */
  private interface Replacement {
    ResponseBody of(ResponseBody sent) throws IOException;
  }

  private Request.Builder request() {
    RetryOptions options = RetryOptions.builder().journaled("read", "1").noRetry().build();
    return new Request.Builder().url(server.uri("/a").toString()).tag(RetryOptions.class, options);
  }

  private static Entry.Outcome again(Entry entry, Call.Factory calls, Request request) {
    Entry.Outcome again = entry.make(calls.newCall(request));
    assertTrue(again.report().saved().orElseThrow().handedBack(), again::toString);
    return again;
  }

  private static void assertNotKept(Entry entry, Call.Factory calls, Request request) {
    IOException failure = entry.make(calls.newCall(request)).failure();
    RefusedException refused = assertInstanceOf(RefusedException.class, failure);
    assertEquals(Refusal.ANSWER_NOT_KEPT, refused.refusal());
  }

  private static byte[] zipped(String text) throws IOException {
    Buffer zipped = new Buffer();
    try (BufferedSink sink = Okio.buffer(new GzipSink(zipped))) {
      sink.writeUtf8(text);
    }
    return zipped.readByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void whatOkHttpUnzipsIsKeptUnzipped(Entry entry) throws IOException {
    Call.Factory calls = calls(entry, Rig.builder());
    server.enqueue(Reply.status(200).header("Content-Encoding", "gzip").body(zipped("text")));
    assertEquals("text", entry.make(calls.newCall(request().build())).body());
    Entry.Outcome again = again(entry, calls, request().build());
    assertEquals("text", again.body());
    assertNull(again.headers().get("Content-Encoding"));
    assertNull(again.headers().get("Content-Length"));
  }

  @ParameterizedTest
  @EnumSource
  void whatTheCallerUnzipsIsKeptAsItCame(Entry entry) throws IOException {
    Call.Factory calls = calls(entry, Rig.builder());
    byte[] zipped = zipped("text");
    server.enqueue(Reply.status(200).header("Content-Encoding", "gzip").body(zipped));
    Request request = request().header("Accept-Encoding", "gzip").build();
    calls.newCall(request).execute().close();
    try (Response again = calls.newCall(request).execute()) {
      assertEquals("gzip", again.header("Content-Encoding"));
      assertArrayEquals(zipped, again.body().bytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerWithoutABodyIsKeptWhole(Entry entry) {
    Call.Factory calls = calls(entry, Rig.builder());
    Request head = request().head().build();
    server.enqueue(Reply.status(200).header("Content-Length", "20000000").header("ETag", "1"));
    assertEquals(200, entry.make(calls.newCall(head)).status());
    Entry.Outcome again = again(entry, calls, head);
    assertEquals("", again.body());
    assertEquals("1", again.headers().get("ETag"));
    assertEquals("20000000", again.headers().get("Content-Length"));
  }

  @ParameterizedTest
  @EnumSource
  void aHeaderThatIsNotAsciiIsHandedBackAsItCame(Entry entry) {
    Call.Factory calls = calls(entry, Rig.builder());
    server.enqueue(Reply.status(200).header("X-Name", "M\u00fcller"));
    String first = entry.make(calls.newCall(request().build())).headers().get("X-Name");
    assertTrue(first.startsWith("M") && first.length() > 5, first);
    assertEquals(first, again(entry, calls, request().build()).headers().get("X-Name"));
  }

  @ParameterizedTest
  @EnumSource
  void soIsOneThatSaysThatNothingHasChanged(Entry entry) {
    Call.Factory calls = calls(entry, Rig.builder());
    Request request = request().header("If-None-Match", "1").build();
    server.enqueue(Reply.status(304).header("ETag", "1"));
    assertEquals(304, entry.make(calls.newCall(request)).status());
    assertEquals(304, again(entry, calls, request).status());
  }

  @ParameterizedTest
  @EnumSource
  void aJournalThatKeepsNoBodiesKeepsAnswersWithoutOne(Entry entry) {
    journal.settings(Settings.defaults().withMostBodyBytes(0));
    Call.Factory calls = calls(entry, Rig.builder());
    server.enqueue(Reply.status(204));
    entry.make(calls.newCall(request().build()));
    assertEquals(204, again(entry, calls, request().build()).status());
  }

  @ParameterizedTest
  @EnumSource
  void anInterceptorsBodyIsKept(Entry entry) {
    Call.Factory calls =
        replacing(
            entry,
            sent -> {
              sent.close();
              Buffer other = new Buffer().writeUtf8("other");
              return ResponseBody.create((BufferedSource) other, MediaType.get("text/plain"), -1);
            });
    server.enqueue(Reply.status(200).body("sent"));
    assertEquals("other", entry.make(calls.newCall(request().build())).body());
    assertEquals("other", again(entry, calls, request().build()).body());
  }

  @ParameterizedTest
  @EnumSource
  void aLongBodyIsTheCallersToRead(Entry entry) throws IOException {
    journal.settings(Settings.defaults().withMostBodyBytes(3));
    Call.Factory calls = calls(entry, Rig.builder());
    server.enqueue(Reply.stalledBody(200, 100, "this"));
    try (Response response = response(entry, calls.newCall(request().build()))) {
      assertEquals("this", response.body().source().readUtf8(4)); // what follows never comes
    }
    assertNotKept(entry, calls, request().build());
  }

  @ParameterizedTest
  @EnumSource
  void aStreamIsTheCallersToRead(Entry entry) throws IOException {
    Call.Factory calls = calls(entry, Rig.builder());
    server.enqueue(
        Reply.stalledBody(200, 100, "data:").header("Content-Type", "text/event-stream"));
    try (Response response = response(entry, calls.newCall(request().build()))) {
      assertEquals("data:", response.body().source().readUtf8(5)); // what follows never comes
    }
    assertNotKept(entry, calls, request().build());
  }

  private static Response response(Entry entry, Call call) throws IOException {
    return entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute();
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatBrokeIsNotReadAgainForTheJournal(Entry entry) {
    AtomicInteger reads = new AtomicInteger();
    AtomicInteger readBefore = new AtomicInteger();
    journal.onEnded(() -> readBefore.set(reads.get()));
    Call.Factory calls =
        replacing(
            entry,
            sent -> {
              sent.close();
              return ResponseBody.create(Okio.buffer(breaking(reads)), null, -1);
            });
    server.enqueue(Reply.status(404));
    assertInstanceOf(IOException.class, entry.make(calls.newCall(request().build())).failure());
    assertEquals(1, readBefore.get(), "once, within the attempt");
    assertNotKept(entry, calls, request().build());
  }

  private static Source breaking(AtomicInteger reads) {
    return new Source() {
      @Override
      public long read(Buffer sink, long bytes) throws IOException {
        reads.incrementAndGet();
        throw new IOException("broken");
      }

      @Override
      public Timeout timeout() {
        return Timeout.NONE;
      }

      @Override
      public void close() {}
    };
  }

  /** Some bodies wrap their source anew each time that they are asked for it. */
  @ParameterizedTest
  @EnumSource
  void aBodyWithASourceForEachReaderIsNotReadAgainForTheJournal(Entry entry) throws IOException {
    AtomicInteger sources = new AtomicInteger();
    AtomicInteger sourcesBefore = new AtomicInteger();
    journal.onEnded(() -> sourcesBefore.set(sources.get()));
    Call.Factory calls =
        replacing(
            entry,
            sent -> {
              sent.close();
              return anew(sources);
            });
    server.enqueue(Reply.status(200));
    response(entry, calls.newCall(request().build())).close();
    int within = sourcesBefore.get();
    assertTrue(within > 0);
    assertEquals("anew", again(entry, calls, request().build()).body());
    assertEquals(1, within, "once, within the attempt");
  }

  private static ResponseBody anew(AtomicInteger sources) {
    return new ResponseBody() {
      @Override
      public MediaType contentType() {
        return null;
      }

      @Override
      public long contentLength() {
        return -1;
      }

      @Override
      public BufferedSource source() {
        sources.incrementAndGet();
        return new Buffer().writeUtf8("anew");
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void whatTheClientBuffersBeyondTheJournalIsNotKept(Entry entry) {
    journal.settings(Settings.defaults().withMostBodyBytes(3));
    Call.Factory calls = calls(entry, Rig.builder(), rig.retry().bufferBodiesUpTo(1_000));
    server.enqueue(Reply.status(200).body("long"));
    assertEquals("long", entry.make(calls.newCall(request().build())).body());
    assertNotKept(entry, calls, request().build());
  }
}
