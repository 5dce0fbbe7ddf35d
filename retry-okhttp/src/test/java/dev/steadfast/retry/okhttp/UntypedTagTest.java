package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.List;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Options that are tagged without their class count like those tagged with it. */
class UntypedTagTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static Request tagged(Request request, RetryOptions.Builder options) {
    return request.newBuilder().tag(options.build()).build();
  }

  @ParameterizedTest
  @EnumSource
  void twoCallsWithOneBusinessKeyHaveOneKey(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.keyed());
    for (int i = 0; i < 2; i++) {
      RetryOptions.Builder order = RetryOptions.builder().idempotencyKey("order-1");
      assertEquals(200, entry.make(calls.newCall(tagged(Calls.post(server), order))).status());
    }

    assertEquals(
        List.of(Optional.of("order-1"), Optional.of("order-1")),
        server.requests().stream().map(each -> each.header("Idempotency-Key")).toList());
  }

  @ParameterizedTest
  @EnumSource
  void noRetryIsHeard(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.defaultReply(Reply.status(503));

    Entry.Outcome got =
        entry.make(calls.newCall(tagged(Calls.get(server), RetryOptions.builder().noRetry())));

    assertEquals(1, server.requests().size(), got.toString());
  }

  @ParameterizedTest
  @EnumSource
  void soIsThatAGetMayNotGoAgain(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.defaultReply(Reply.closeAfterRequest());

    Entry.Outcome got =
        entry.make(
            calls.newCall(tagged(Calls.get(server), RetryOptions.builder().replayable(false))));

    assertEquals(1, server.requests().size(), got.toString());
  }

  @ParameterizedTest
  @EnumSource
  void aTagOfTheUsersIsNoOption(Entry entry) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    server.enqueue(Reply.status(503));

    Request request = Calls.get(server).newBuilder().tag("a tag of the user's").build();

    assertEquals(200, entry.make(calls.newCall(request)).status());
    assertEquals(2, server.requests().size());
  }
}
