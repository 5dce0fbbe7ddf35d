package dev.steadfast.retry.examples.guide;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.JdkEffects;
import dev.steadfast.retry.effects.OkHttpEffects;
import dev.steadfast.retry.effects.OneTimeToken;
import dev.steadfast.retry.effects.ReadModifyWrite;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.UUID;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** What the guides show of effects: a repeated DELETE, optimistic locking, one-time tokens. */
final class EffectsGuide {
  private EffectsGuide() {}

  static Effect delete(Call.Factory calls, Request delete) throws IOException {
    try (Response response = calls.newCall(delete).execute()) {
      return OkHttpReports.of(response)
          .effect(response.code(), status -> status == 404 ? Effect.SUCCEEDED : Effect.UNKNOWN);
    }
  }

  static EffectResult<String> update(RetryingHttpClient http, URI uri) throws InterruptedException {
    // region effects-update
    ReadModifyWrite<HttpRequest, String> notes =
        JdkEffects.readModifyWrite(
                http, bytes -> new String(bytes, UTF_8), text -> text.getBytes(UTF_8))
            .build();

    EffectResult<String> result =
        notes.update(HttpRequest.newBuilder(uri).build(), note -> note + " Seen.");
    System.out.println(result.effect() + ", " + result.end());
    // endregion
    return result;
  }

  static EffectResult<String> append(RetryingHttpClient http, HttpRequest read, String text)
      throws InterruptedException {
    String mark = "[" + UUID.randomUUID() + "]";
    return JdkEffects.readModifyWrite(
            http, bytes -> new String(bytes, UTF_8), note -> note.getBytes(UTF_8))
        .ifLost((written, found) -> found.contains(mark) ? Effect.SUCCEEDED : Effect.FAILED)
        .build()
        .update(read, note -> note.contains(mark) ? null : note + text + mark);
  }

  static EffectResult<String> use(RetryingCallFactory calls, Request fetch, Request order)
      throws InterruptedException {
    OneTimeToken<Request> tokens =
        OkHttpEffects.oneTimeToken(calls, (head, body) -> new String(body, UTF_8));

    EffectResult<String> result =
        tokens.use(
            fetch,
            token ->
                order
                    .newBuilder()
                    .header("X-Token", token)
                    .post(RequestBody.create("order".getBytes(UTF_8), null))
                    .build());
    System.out.println(result.effect() + ", " + result.end());
    return result;
  }
}
