package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class EffectsGuideTest {
  private final FakeTime time = new FakeTime();
  private final HttpRetry retry =
      HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final RetryingHttpClient http =
      RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
  private final RetryingCallFactory calls = RetryingCallFactory.wrap(new OkHttpClient(), retry);

  private Request.Builder request(String path) {
    return new Request.Builder().url(server.uri(path).toString());
  }

  @Test
  void aDeletion() throws Exception {
    Request delete = request("/things/1").delete().build();
    server.enqueue(Reply.status(204), Reply.closeAfterRequest(), Reply.status(404));
    assertEquals(Effect.SUCCEEDED, EffectsGuide.delete(calls, delete));
    assertEquals(Effect.SUCCEEDED, EffectsGuide.delete(calls, delete));
  }

  private static Reply value(String text, String tag) {
    return Reply.status(200).header("ETag", tag).body(text);
  }

  @Test
  void anUpdate() throws Exception {
    server.enqueue(
        value("Note.", "\"1\""), Reply.status(412), value("Changed.", "\"2\""), Reply.status(204));
    EffectResult<String> result = EffectsGuide.update(http, server.uri("/notes/1"));
    assertEquals(End.ACCEPTED, result.end());
    assertEquals("Changed. Seen.", result.orElseThrow());
    assertEquals("\"2\"", server.requests().get(3).header("If-Match").orElseThrow());
  }

  @Test
  void anUpdateWithAMark_knowsItsLostWrite() throws Exception {
    server.route(received -> {
      int count = server.requests().size();
      return switch (count) {
        case 1 -> value("Note.", "\"1\"");
        case 2 -> Reply.closeAfterRequest();
        case 3 -> Reply.status(412);
        default -> value(server.requests().get(1).bodyText() + "!", "\"3\"");
      };
    });
    EffectResult<String> result =
        EffectsGuide.append(http, HttpRequest.newBuilder(server.uri("/notes/1")).build(), " Seen.");
    assertEquals(End.ALREADY_APPLIED, result.end());
  }

  @Test
  void aToken() throws Exception {
    server.enqueue(Reply.status(200).body("t-1"), Reply.status(201));
    Request fetch = request("/tokens").build();
    EffectResult<String> result = EffectsGuide.use(calls, fetch, request("/orders").build());
    assertEquals(Effect.SUCCEEDED, result.effect());
    assertEquals("t-1", server.requests().get(1).header("X-Token").orElseThrow());
  }
}
