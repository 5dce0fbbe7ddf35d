package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call whose chain comes by again, because an interceptor before ours proceeds twice. */
class CallAgainTest extends CallsAgain {
  /** Takes a charge once per key. The first answer is lost, and then the token has expired. */
  private Set<String> losesTheFirstAnswer() {
    Set<String> charges = ConcurrentHashMap.newKeySet();
    server.route(request -> {
      String key = request.header("Idempotency-Key").orElse("none " + charges.size());
      if (charges.isEmpty()) {
        charges.add(key);
        return Reply.closeAfterRequest();
      }
      if (!isNew(request)) {
        return Reply.status(401);
      }
      return charges.add(key)
          ? Reply.status(201)
          : Reply.status(201).header("Idempotent-Replayed", "true");
    });
    return charges;
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aRefreshedTokenChargesOnce(Entry entry) {
    Set<String> charges = losesTheFirstAnswer();

    Entry.Outcome got =
        entry.make(calls(CallsAgain::refreshing, keyed()).newCall(Calls.post(server)));

    assertEquals(201, got.status());
    assertEquals(1, charges.size());
    assertEquals(3, keys().size());
    assertEquals(1, Set.copyOf(keys()).size());
    assertEquals(3, got.report().attempts());
    assertEquals(
        List.of("1 -1", "2 401", "3 201"),
        got.report().attemptReports().stream()
            .map(each -> each.number() + " " + each.status().orElse(-1))
            .toList());
    assertTrue(got.report().serverMayHaveActed());
    assertTrue(got.report().earlierAttemptMayHaveActed());
    assertEquals(keys().get(0), got.report().idempotencyKey().orElseThrow());
    assertEquals(
        List.of("started POST", "attempt 1", "attempt 2", "attempt 3", "ended after 3"), told);
    assertEquals(3, rig.recorder.report().attempts());
  }

  @Test
  void theLastResponseCarriesTheReportOfAllAttempts_theFirstThatOfItsOwn() throws Exception {
    List<RetryReport> reports = new ArrayList<>();
    server.enqueue(Reply.status(503), Reply.status(401), Reply.status(503), Reply.status(200));
    Call.Factory calls =
        calls(
            chain -> {
              try (Response first = chain.proceed(chain.request())) {
                reports.add(OkHttpReports.of(first));
                Request again = first.request().newBuilder().header("Authorization", "new").build();
                return chain.proceed(again);
              }
            },
            told().policy(Calls.seconds().maxAttempts(4).build()).build());
    try (Response response = calls.newCall(Calls.get(server)).execute()) {
      reports.add(OkHttpReports.of(response));
      assertEquals("new", response.request().header("Authorization"));
      assertEquals(null, response.request().tag(OperationInfo.class));
    }
    assertEquals(List.of(2, 4), reports.stream().map(RetryReport::attempts).toList());
    assertEquals(StopReason.NOT_RETRYABLE, reports.get(0).reason());
    assertEquals(StopReason.ACCEPTED, reports.get(1).reason());
    assertEquals(Duration.ofSeconds(2), reports.get(1).waited());
  }

  @Test
  void eachPassMakesAtLeastOneAttempt() throws Exception {
    HttpRetry once = told().policy(RetryPolicy.noRetry()).build();
    server.defaultReply(Reply.status(503));
    try (Response response = calls(CallsAgain::twice, once).newCall(Calls.get(server)).execute()) {
      assertEquals(2, OkHttpReports.of(response).attempts());
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, OkHttpReports.of(response).reason());
    }
    assertEquals(2, server.requests().size());
    assertEquals(List.of("started GET", "attempt 1", "attempt 2", "ended after 2"), told);
  }

  @Test
  void maxAttemptsAreTheCalls() throws Exception {
    server.defaultReply(Reply.status(503));
    HttpRetry three = told().policy(Calls.seconds().maxAttempts(3).build()).build();
    calls(CallsAgain::twice, three).newCall(Calls.get(server)).execute().close();
    assertEquals(4, server.requests().size());
    assertEquals("ended after 4", told.get(told.size() - 1));
  }

  @Test
  void twoAcceptedPassesAreOneOperation() throws Exception {
    HttpRetry retry = keyed();
    Call.Factory calls = calls(CallsAgain::twice, retry);
    try (Response response = calls.newCall(Calls.post(server)).execute()) {
      assertEquals(2, OkHttpReports.of(response).attempts());
    }
    assertEquals(2, keys().size());
    assertEquals(1, Set.copyOf(keys()).size());
    assertEquals(List.of("started POST", "attempt 1", "attempt 2", "ended after 2"), told);

    calls.newCall(Calls.post(server)).execute().close();
    assertEquals(2, Set.copyOf(keys()).size());
  }

  /** The interceptor decides to send it again. The loop itself would not. */
  @Test
  void aPostWithoutKeyIsSentAgainByTheInterceptorAlone() throws Exception {
    Interceptor again =
        chain -> {
          try {
            return chain.proceed(chain.request());
          } catch (IOException lost) {
            assertEquals(StopReason.NOT_REPLAYABLE, RetryReport.of(lost).orElseThrow().reason());
            return chain.proceed(chain.request());
          }
        };
    server.enqueue(Reply.closeAfterRequest(), Reply.closeAfterRequest());
    Entry.Outcome got =
        Entry.EXECUTE.make(calls(again, told().build()).newCall(Calls.post(server)));

    assertEquals(2, server.requests().size());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(2, got.report().attempts());
    assertTrue(got.report().outcomeUnknown());

    server.enqueue(Reply.closeAfterRequest());
    Entry.Outcome second =
        Entry.EXECUTE.make(calls(again, told().build()).newCall(Calls.post(server)));
    assertEquals(200, second.status());
    assertEquals(2, second.report().attempts());
    assertTrue(second.report().earlierAttemptMayHaveActed());
  }

  /** Proceeds three times, a minute after the other. */
  private Interceptor slowly(List<Integer> passes) {
    return chain -> {
      for (int pass = 1; pass <= 3; pass++) {
        try (Response response = chain.proceed(chain.request())) {
          passes.add(response.code());
        }
        rig.time.advance(Duration.ofSeconds(60));
      }
      throw new IOException("never");
    };
  }

  @Test
  void theDeadlineIsTheCalls() {
    HttpRetry retry =
        told().policy(RetryPolicy.builder().totalTimeout(Duration.ofSeconds(100)).build()).build();
    List<Integer> passes = new ArrayList<>();
    Entry.Outcome got = Entry.EXECUTE.make(calls(slowly(passes), retry).newCall(Calls.get(server)));

    assertEquals(List.of(200, 200), passes);
    assertEquals(2, server.requests().size());
    assertEquals(StopReason.DEADLINE, got.report().reason(), got.toString());
    assertEquals(2, got.report().attempts());
    assertTrue(got.failure().getMessage().contains("totalTimeout"), got.toString());
    assertEquals("ended after 2", told.get(told.size() - 1));
  }

  @Test
  void theDeadlineOfTheOptionsIsTheCalls() {
    List<Integer> passes = new ArrayList<>();
    HttpRetry retry = told().policy(RetryPolicy.builder().noTotalTimeout().build()).build();
    Request bounded = Calls.get(server).newBuilder().tag(RetryOptions.class, within(100)).build();
    Entry.Outcome got = Entry.EXECUTE.make(calls(slowly(passes), retry).newCall(bounded));

    assertEquals(List.of(200, 200), passes, got.toString());
    assertEquals(StopReason.DEADLINE, got.report().reason(), got.toString());
    assertEquals(2, server.requests().size());
  }

  /** Each pass makes its own attempt, and the interceptor answers for that one alone. */
  @Test
  void thePaidRepeatsAreTheCalls() throws Exception {
    RetryOptions word = RetryOptions.builder().replayable(true).paidRepeats(1).build();
    Request trusted = Calls.post(server).newBuilder().tag(RetryOptions.class, word).build();
    server.defaultReply(Reply.status(503));
    HttpRetry retry = told().policy(Calls.seconds().maxAttempts(9).build()).build();
    try (Response response = calls(CallsAgain::twice, retry).newCall(trusted).execute()) {
      assertEquals(3, OkHttpReports.of(response).attempts(), OkHttpReports.of(response).toString());
    }
    assertEquals(3, server.requests().size());
  }

  /** Each operation of a call has its own deadline, which counts from the begin of the first. */
  @Test
  void theDeadlineOfAnotherRequestCountsFromTheFirst() {
    Request pay = Calls.post(server).newBuilder().tag(RetryOptions.class, within(100)).build();
    List<Integer> passes = new ArrayList<>();
    Interceptor slow =
        chain -> {
          rig.time.advance(Duration.ofSeconds(50)); // before the call comes by
          for (int pass = 1; pass <= 3; pass++) {
            Request other = other(chain.request(), "/" + pass);
            try (Response response = chain.proceed(other)) {
              passes.add(response.code());
            }
            rig.time.advance(Duration.ofSeconds(60));
          }
          throw new IOException("never");
        };
    HttpRetry retry = told().policy(RetryPolicy.builder().noTotalTimeout().build()).build();
    Entry.Outcome got = Entry.EXECUTE.make(calls(slow, retry).newCall(pay));

    assertEquals(List.of(200, 200), passes);
    assertEquals(StopReason.DEADLINE, got.report().reason(), got.toString());
    assertEquals(0, got.report().attempts());
    assertEquals(3, rig.recorder.ended().size());
  }

  @Test
  void theTotalTimeoutOfAnotherRequestCountsFromTheFirst() {
    Interceptor slow =
        chain -> {
          chain.proceed(other(chain.request(), "/token")).close();
          rig.time.advance(Duration.ofSeconds(60));
          return chain.proceed(chain.request());
        };
    HttpRetry retry =
        told().policy(RetryPolicy.builder().totalTimeout(Duration.ofSeconds(50)).build()).build();
    Entry.Outcome got = Entry.EXECUTE.make(calls(slow, retry).newCall(Calls.post(server)));
    assertEquals(StopReason.DEADLINE, got.report().reason(), got.toString());
    assertEquals(1, server.requests().size());
  }

  private static RetryOptions within(int seconds) {
    return RetryOptions.builder().deadline(Duration.ofSeconds(seconds)).build();
  }

  /** It counts one operation, which begins and ends once, and pays for the retries of both. */
  private static final class Purse implements RetryBudget, RetryBudget.Account {
    private final List<String> booked = new CopyOnWriteArrayList<>();
    private int left;

    Purse(int left) {
      this.left = left;
    }

    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public void operationBegan(long nowNanos) {
      booked.add("began");
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      boolean paid = left-- > 0;
      booked.add(paid ? "paid" : "refused");
      return paid ? Withdrawal.of(1) : Withdrawal.refused();
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      booked.add("refund");
    }

    @Override
    public void operationEnded(Outcome outcome, Withdrawal last, long nowNanos) {
      booked.add(outcome + (last == null ? "" : " with a retry"));
    }
  }

  @Test
  void theBudgetIsTheCalls() throws Exception {
    Purse purse = new Purse(2);
    server.defaultReply(Reply.status(503));
    HttpRetry retry = told().policy(Calls.seconds().maxAttempts(9).build()).budget(purse).build();
    try (Response response = calls(CallsAgain::twice, retry).newCall(Calls.get(server)).execute()) {
      assertEquals(StopReason.BUDGET_EXHAUSTED, OkHttpReports.of(response).reason());
      assertEquals(4, OkHttpReports.of(response).attempts());
    }
    assertEquals(List.of("began", "paid", "paid", "refused", "refused", "FAILED"), purse.booked);
  }

  /** A place that the retry of an earlier pass holds is given back before the next one asks. */
  @Test
  void aPassThatWasPaidForIsSettledBeforeTheNext() throws Exception {
    Purse purse = new Purse(2);
    server.enqueue(Reply.status(503), Reply.status(200), Reply.status(503), Reply.status(200));
    HttpRetry retry = told().policy(Calls.seconds().maxAttempts(9).build()).budget(purse).build();
    calls(CallsAgain::twice, retry).newCall(Calls.get(server)).execute().close();
    assertEquals(
        List.of("began", "paid", "UNKNOWN with a retry", "began", "paid", "SUCCEEDED with a retry"),
        purse.booked);
  }
}
