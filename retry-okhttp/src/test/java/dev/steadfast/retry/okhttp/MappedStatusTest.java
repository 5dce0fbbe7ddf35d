package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Interceptors that make exceptions of answers: the answer says what to do. */
class MappedStatusTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final IOException own = new IOException("the interceptor's own");

  private Interceptor throwingFrom(int status) {
    return chain -> {
      Response response = chain.proceed(chain.request());
      if (response.code() < status) {
        return response;
      }
      response.close();
      throw own;
    };
  }

  private static Stream<Arguments> spotsAnd(Integer... values) {
    return Arrays.stream(Spot.values())
        .flatMap(spot -> Arrays.stream(values).map(value -> Arguments.of(spot, value)));
  }

  private Entry.Outcome make(Spot spot, Request request) {
    RetryPolicy patient = RetryPolicy.builder().noTotalTimeout().build();
    Call.Factory calls = spot.calls(rig, rig.retry().policy(patient).build(), throwingFrom(400));
    return spot.make(calls.newCall(request));
  }

  private void assertEnded(StopReason reason, int attempts) {
    assertEquals(attempts, server.requests().size(), rig.recorder.ended().toString());
    assertEquals(reason, rig.recorder.report().reason());
    assertEquals(attempts, rig.recorder.report().attempts());
  }

  static Stream<Arguments> permanent() {
    return spotsAnd(400, 401, 402, 404, 410, 501);
  }

  @ParameterizedTest
  @MethodSource("permanent")
  void aStatusThatIsFinalIsNotRetried(Spot spot, int status) {
    server.defaultReply(Reply.status(status));

    Entry.Outcome got = make(spot, Calls.get(server));

    assertSame(own, got.failure());
    assertEnded(StopReason.NOT_RETRYABLE, 1);
  }

  /** Rules of the user's may accept the answer; the exception is no success for that. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BEFORE_ADD_TO")
  void ofAStatusThatIsAcceptedTheExceptionIsWhatItIs(Spot spot) {
    Books books = new Books();
    HttpRetry retry = rig.retry().classifier(ACCEPTS_ABSENCE).budget(books).guard(books).build();
    Call.Factory calls = spot.calls(rig, retry, throwingFrom(400));
    server.defaultReply(Reply.status(404));

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertSame(own, got.failure());
    assertEnded(StopReason.NOT_REPLAYABLE, 1);
    assertEquals(0, books.succeeded.get());
    assertEquals(0, books.endedSucceeded.get());
  }

  private static final HttpClassifier ACCEPTS_ABSENCE =
      new HttpClassifier() {
        private final HttpClassifier standard = StandardRules.defaults();

        @Override
        public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
          return response.status() == 404
              ? Verdict.accepted()
              : standard.onResponse(operation, response, signals);
        }

        @Override
        public Verdict onFailure(OperationView operation, TransportFailure failure) {
          return standard.onFailure(operation, failure);
        }
      };

  /** An answer that the server meant well is no success when the interceptor throws. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BEFORE_ADD_TO")
  void belowFourHundredTheExceptionIsWhatItIs(Spot spot) {
    Call.Factory calls = spot.calls(rig, rig.retry().build(), throwingFrom(200));

    Entry.Outcome got = spot.make(calls.newCall(Calls.post(server)));

    assertSame(own, got.failure());
    assertEnded(StopReason.NOT_REPLAYABLE, 1);
  }
}
