package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;

/** The ways into the helpers: both clients, with and without a thread. */
enum Entry {
  JDK(false),
  JDK_ASYNC(true),
  OKHTTP(false),
  OKHTTP_ASYNC(true);

  private final boolean async;

  Entry(boolean async) {
    this.async = async;
  }

  boolean async() {
    return async;
  }

  boolean jdk() {
    return this == JDK || this == JDK_ASYNC;
  }

  static final RetryPolicy AT_ONCE =
      RetryPolicy.builder().maxAttempts(3).backoff(Backoff.none()).build();

  static final HttpRetry RETRY =
      HttpRetry.builder().policy(AT_ONCE).budget(RetryBudget.unlimited()).build();

  static final HttpClient JDK_CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  static final RetryingHttpClient HTTP = RetryingHttpClient.wrap(JDK_CLIENT, RETRY);
  static final RetryingCallFactory CALLS = RetryingCallFactory.wrap(new OkHttpClient(), RETRY);

  /** How a helper is set up, whatever its client. */
  record Setting(
      RetryPolicy policy,
      RetryEnvironment environment,
      @Nullable BiFunction<String, String, Effect> ifLost,
      boolean inBody,
      boolean patch) {
    static final Setting USUAL =
        new Setting(AT_ONCE, RetryEnvironment.system(), null, false, false);

    Setting policy(RetryPolicy other) {
      return new Setting(other, environment, ifLost, inBody, patch);
    }

    Setting environment(RetryEnvironment other) {
      return new Setting(policy, other, ifLost, inBody, patch);
    }

    Setting ifLost(BiFunction<String, String, Effect> other) {
      return new Setting(policy, environment, other, inBody, patch);
    }

    Setting versionInBody() {
      return new Setting(policy, environment, ifLost, true, patch);
    }

    Setting byPatch() {
      return new Setting(policy, environment, ifLost, inBody, true);
    }

    <Q> ReadModifyWrite<Q, String> on(
        ReadModifyWrite.Builder<Q, String> plain, BiFunction<Q, String, Q> patching) {
      ReadModifyWrite.Builder<Q, String> set = plain.policy(policy).environment(environment);
      set = ifLost == null ? set : set.ifLost(ifLost);
      set = inBody ? set.versionInBody() : set;
      return (patch ? set.writing(patching) : set).build();
    }
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The same token is in the head and in the body. */
  static String token(ResponseView head, byte[] body) {
    assertEquals(text(body), head.headers("x-token").get(0));
    return text(body);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  EffectResult<String> update(URI uri, Setting setting, Function<String, @Nullable String> change)
      throws Exception {
    return async ? await(start(uri, setting, change)) : run(uri, setting, change);
  }

  CompletableFuture<EffectResult<String>> start(
      URI uri, Setting setting, Function<String, @Nullable String> change) {
    return jdk()
        ? jdkUpdates(setting).updateAsync(jdkGet(uri), change)
        : okHttpUpdates(setting).updateAsync(okHttpGet(uri), change);
  }

  private EffectResult<String> run(
      URI uri, Setting setting, Function<String, @Nullable String> change) throws Exception {
    return jdk()
        ? jdkUpdates(setting).update(jdkGet(uri), change)
        : okHttpUpdates(setting).update(okHttpGet(uri), change);
  }

  static ReadModifyWrite<HttpRequest, String> jdkUpdates(Setting setting) {
    return setting.on(
        JdkEffects.readModifyWrite(HTTP, Entry::text, Entry::bytes),
        (read, next) ->
            HttpRequest.newBuilder(read, (name, value) -> true)
                .method("PATCH", HttpRequest.BodyPublishers.ofString(next))
                .build());
  }

  static ReadModifyWrite<Request, String> okHttpUpdates(Setting setting) {
    return setting.on(
        OkHttpEffects.readModifyWrite(CALLS, Entry::text, Entry::bytes),
        (read, next) ->
            read.newBuilder().method("PATCH", RequestBody.create(bytes(next), null)).build());
  }

  static HttpRequest jdkGet(URI uri) {
    return HttpRequest.newBuilder(uri).header("Authorization", "Bearer b").build();
  }

  static Request okHttpGet(URI uri) {
    return new Request.Builder().url(uri.toString()).header("Authorization", "Bearer b").build();
  }

  EffectResult<String> useToken(Tokens tokens) throws Exception {
    if (jdk()) {
      OneTimeToken<HttpRequest> helper = tokens.on(JdkEffects.oneTimeToken(HTTP, Entry::token));
      HttpRequest fetch =
          HttpRequest.newBuilder(tokens.fetch()).POST(HttpRequest.BodyPublishers.noBody()).build();
      Function<String, HttpRequest> use =
          token ->
              HttpRequest.newBuilder(tokens.use())
                  .header("X-Token", token)
                  .POST(HttpRequest.BodyPublishers.ofString("order"))
                  .build();
      return async ? await(helper.useAsync(fetch, use)) : helper.use(fetch, use);
    }
    OneTimeToken<Request> helper = tokens.on(OkHttpEffects.oneTimeToken(CALLS, Entry::token));
    Request fetch =
        new Request.Builder()
            .url(tokens.fetch().toString())
            .post(RequestBody.create(new byte[0], null))
            .build();
    Function<String, Request> use =
        token ->
            new Request.Builder()
                .url(tokens.use().toString())
                .header("X-Token", token)
                .post(RequestBody.create(bytes("order"), null))
                .build();
    return async ? await(helper.useAsync(fetch, use)) : helper.use(fetch, use);
  }

  /** Where tokens are fetched and used, and what tells of a lost use. */
  record Tokens(URI fetch, URI use, @Nullable BiFunction<String, ResponseView, Effect> ifLost) {
    <Q> OneTimeToken<Q> on(OneTimeToken<Q> plain) {
      return ifLost == null ? plain : plain.ifLost(ifLost);
    }
  }

  private static <T> T await(CompletableFuture<T> future) throws Exception {
    try {
      return future.join();
    } catch (CompletionException wrapped) {
      if (wrapped.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw wrapped;
    }
  }
}
