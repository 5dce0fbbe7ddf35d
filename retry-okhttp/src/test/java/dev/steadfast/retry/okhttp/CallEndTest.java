package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How the operations of a call end whose interceptors may proceed again. */
class CallEndTest extends CallsAgain {
  @Test
  void anExceptionBetweenEndsTheOperationOnce() {
    Interceptor fails =
        chain -> {
          chain.proceed(chain.request()).close();
          throw new IOException("no token");
        };
    Entry.Outcome got = Entry.EXECUTE.make(calls(fails, keyed()).newCall(Calls.post(server)));
    assertEquals("no token", got.failure().getMessage());
    assertEquals(List.of("started POST", "attempt 1", "ended after 1"), told);
  }

  @Test
  void aBugBetweenEndsTheOperationOnce() {
    Interceptor crashes =
        chain -> {
          chain.proceed(chain.request()).close();
          throw new IllegalStateException("bug");
        };
    Call call = calls(crashes, keyed()).newCall(Calls.post(server));
    assertThrows(IllegalStateException.class, call::execute);
    assertEquals(List.of("started POST", "attempt 1", "ended after 1"), told);
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aCancelBetweenIsTheEnd(Entry entry) {
    Interceptor cancels =
        chain -> {
          chain.proceed(chain.request()).close();
          chain.call().cancel();
          return chain.proceed(chain.request());
        };
    Entry.Outcome got = entry.make(calls(cancels, keyed()).newCall(Calls.post(server)));
    assertEquals("Canceled", got.failure().getMessage());
    assertEquals(StopReason.CANCELLED, got.report().reason());
    assertEquals(1, server.requests().size());
    assertEquals(List.of("started POST", "attempt 1", "ended after 1"), told);
  }

  @Test
  void aCancelDuringTheWaitOfTheSecondPassEndsIt() throws Exception {
    OkHttpClient client =
        rig.client(
            RetryInterceptor.addTo(
                Rig.builder().addInterceptor(CallsAgain::twice),
                rig.frozen().policy(Calls.seconds().noTotalTimeout().build()).build()));
    server.enqueue(Reply.status(200), Reply.status(503));
    Call call = client.newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    rig.time.awaitPending(Calls.okHttp4() ? 2 : 1);
    call.cancel();
    if (Calls.okHttp4()) {
      rig.time.advance(Duration.ofMillis(50));
    }
    IOException failure = answers.failure();
    assertEquals("Canceled", failure.getMessage());
    RetryReport report = RetryReport.of(failure).orElseThrow();
    assertEquals(StopReason.CANCELLED, report.reason());
    assertEquals(2, report.attempts());
    assertEquals(2, rig.recorder.report().attempts());
  }

  @Test
  void theLogHasOneLineForTheCall() {
    server.defaultReply(Reply.status(503));
    HttpRetry retry = rig.retry().policy(Calls.seconds().maxAttempts(2).build()).build();
    Call call = calls(CallsAgain::twice, retry).newCall(Calls.get(server));
    List<String> warnings = CapturedLog.warningsOf(() -> Entry.EXECUTE.make(call));
    assertEquals(1, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).contains("3 attempts"), warnings.toString());
  }

  @Test
  void withoutOtherInterceptorsTheEndIsToldAtOnce() throws Exception {
    OkHttpClient client = rig.client(RetryInterceptor.addTo(Rig.builder(), keyed()));
    Call.Factory calls = client;
    calls.newCall(Calls.post(server)).execute().close();
    assertEquals(List.of("started POST", "attempt 1", "ended after 1"), told);
    assertTrue(client.interceptors().size() == 1);
  }

  @Test
  void aCallOfManyRequestsKeepsFewOfThem() throws Exception {
    Interceptor many =
        chain -> {
          for (int page = 0; page < 100; page++) {
            chain.proceed(other(chain.request(), "/" + page)).close();
          }
          long open =
              told.stream().filter(each -> each.startsWith("started")).count()
                  - told.stream().filter(each -> each.startsWith("ended")).count();
          assertTrue(open <= 16, told.toString());
          return chain.proceed(chain.request());
        };
    calls(many, keyed()).newCall(Calls.post(server)).execute().close();
    assertEquals(101, Set.copyOf(keys()).size());
    assertEquals(101, rig.recorder.ended().size());
  }

  // A journal has its own word on operations that come by again: each time is a claim.

  private Entry.Outcome charge(Interceptor before, HttpRetry.Builder retry) {
    RetryOptions options = RetryOptions.builder().journaled("charge", "order-1").build();
    Request request = Calls.post(server).newBuilder().tag(RetryOptions.class, options).build();
    return Entry.EXECUTE.make(
        calls(before, retry.journal(new JournalUnderTest(null)).build()).newCall(request));
  }

  @Test
  void aJournaledOneThatIsDoneIsHandedBack() {
    server.enqueue(Reply.status(201).body("charged"));
    Entry.Outcome got = charge(CallsAgain::twice, told());
    assertEquals(201, got.status());
    assertTrue(got.report().saved().orElseThrow().handedBack());
    assertEquals(1, server.requests().size());
  }

  @Test
  void aJournaledOneThatMayHaveActedIsRefused() {
    server.enqueue(Reply.closeAfterRequest());
    Interceptor again =
        chain -> {
          try {
            return chain.proceed(chain.request());
          } catch (IOException lost) {
            return chain.proceed(chain.request());
          }
        };
    Entry.Outcome got = charge(again, told());
    RefusedException refused = assertInstanceOf(RefusedException.class, got.failure());
    assertEquals(Refusal.UNKNOWN, refused.refusal());
    assertEquals(1, server.requests().size());
  }

  @Test
  void aJournaledOneWhoseTokenWasRefusedIsClaimedAgain() {
    server.enqueue(Reply.status(401), Reply.status(201));
    Entry.Outcome got =
        charge(CallsAgain::refreshing, told().idempotencyKeys(IdempotencyKeys.randomUuid()));
    assertEquals(201, got.status(), got.toString());
    assertEquals(Effect.SUCCEEDED, got.report().saved().orElseThrow().effect());
    assertEquals(2, keys().size());
    assertEquals(1, Set.copyOf(keys()).size());
  }

  @Test
  void cachedAnswersCountAsNoAttempt_untilTheServerIsAsked(@TempDir Path directory)
      throws Exception {
    try (Cache cache = new Cache(directory.toFile(), 1 << 20)) {
      server.enqueue(Reply.status(200).header("Cache-Control", "max-age=1000").body("kept"));
      OkHttpClient client =
          rig.client(
              RetryInterceptor.addTo(
                  Rig.builder().cache(cache).addInterceptor(CallsAgain::twice), told().build()));
      try (Response response = client.newCall(Calls.get(server)).execute()) {
        assertEquals("kept", response.body().string());
        assertEquals(2, OkHttpReports.of(response).attempts());
      }
      assertEquals(1, server.requests().size());
      try (Response response = client.newCall(Calls.get(server)).execute()) {
        assertEquals("kept", response.body().string());
        assertEquals(0, OkHttpReports.of(response).attempts());
      }
      assertEquals(
          List.of(2, 0), rig.recorder.ended().stream().map(RetryReport::attempts).toList());
    }
  }
}
