package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
import okhttp3.Call;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failure of a client that does not retry is not taken for an accepted attempt. */
class ForeignResponseTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  @Test
  void aFailureOfAnotherClientHasNoReport() throws Exception {
    server.enqueue(Reply.status(503));
    try (Response foreign = rig.plain(Rig.builder()).newCall(Calls.get(server)).execute()) {
      assertThrows(IllegalArgumentException.class, () -> OkHttpReports.of(foreign));
    }
  }

  private static final HttpClassifier TAKES_ALL =
      new HttpClassifier() {
        @Override
        public Verdict onResponse(OperationView view, ResponseView response, Signals signals) {
          return Verdict.accepted();
        }

        @Override
        public Verdict onFailure(OperationView view, TransportFailure failure) {
          return StandardRules.defaults().onFailure(view, failure);
        }
      };

  @ParameterizedTest
  @EnumSource
  void anErrorStatusThatTheUsersRulesAcceptHasOne(Entry entry) throws Exception {
    server.enqueue(Reply.status(404));
    HttpRetry retry =
        HttpRetry.builder().environment(rig.time.environment()).classifier(TAKES_ALL).build();
    Call call = rig.calls(entry, Rig.builder(), retry).newCall(Calls.get(server));

    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals("1 attempt, accepted", OkHttpReports.of(response).toString());
    }
  }
}
