package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.effects.VersionedServer.Fault;
import dev.steadfast.retry.effects.VersionedServer.Plan;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt sends several requests, and the last answer tells nothing of the first request. */
class FollowedRequestsTest {
  private static final RetryingHttpClient JDK =
      RetryingHttpClient.wrap(
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NORMAL)
              .build(),
          Entry.RETRY);

  /** A client that follows redirects. */
  enum Following {
    JDK,
    OKHTTP;

    EffectResult<String> appendB(URI uri) throws Exception {
      return this == JDK
          ? JdkEffects.readModifyWrite(FollowedRequestsTest.JDK, Entry::text, Entry::bytes)
              .build()
              .update(Entry.jdkGet(uri), each -> each + "b")
          : appendBy(Entry.CALLS, uri);
    }

    Effect delete(URI uri) throws Exception {
      if (this == JDK) {
        HttpResponse<Void> response =
            FollowedRequestsTest.JDK.send(
                HttpRequest.newBuilder(uri).DELETE().build(), BodyHandlers.discarding());
        return JdkReports.of(response).effect(response.statusCode());
      }
      Request request = new Request.Builder().url(uri.toString()).delete().build();
      try (Response response = Entry.CALLS.newCall(request).execute()) {
        return OkHttpReports.of(response).effect(response.code());
      }
    }
  }

  private static EffectResult<String> appendBy(RetryingCallFactory calls, URI uri)
      throws Exception {
    return OkHttpEffects.readModifyWrite(calls, Entry::text, Entry::bytes)
        .build()
        .update(Entry.okHttpGet(uri), each -> each + "b");
  }

  /** The condition goes along to the GET, and is no longer met there: the write was applied. */
  @ParameterizedTest
  @EnumSource
  void aWriteThatRedirectsToItsValue_isAppliedOnce(Following client) throws Exception {
    try (VersionedServer server = new VersionedServer("a")) {
      server.plan(Plan.of(Fault.SEE_OTHER));
      EffectResult<String> result = client.appendB(server.uri());
      assertEquals("SUCCEEDED, ALREADY_APPLIED, status 200", result.toString());
      assertEquals("ab", server.value());
      assertEquals(1, server.changes());
    }
  }

  /** The 429 is that of the GET, so the 412 to the next attempt is the echo of the first. */
  @ParameterizedTest
  @EnumSource
  void aLimitOnTheTargetOfARedirect_saysNothingOfTheWrite(Following client) throws Exception {
    try (VersionedServer server = new VersionedServer("a")) {
      server.plan(Plan.of(Fault.SEE_LIMITED));
      EffectResult<String> result = client.appendB(server.uri());
      assertEquals("SUCCEEDED, ALREADY_APPLIED, status 200", result.toString());
      assertEquals("ab", server.value());
      assertEquals(2, server.writes().size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void a404AfterADeletionThatRedirects_provesNothing(Following client) throws Exception {
    try (TokenServer server = new TokenServer()) {
      server.plan(TokenServer.Fault.SEE_OTHER);
      assertEquals(Effect.UNKNOWN, client.delete(server.uri("/thing")));
    }
  }

  @ParameterizedTest
  @EnumSource
  void a404ToTheOnlyDeletion_isAFailure(Following client) throws Exception {
    try (TokenServer server = new TokenServer()) {
      assertEquals(Effect.FAILED, client.delete(server.withoutThing().uri("/thing")));
    }
  }

  /** The client follows redirects, but there was none. */
  @ParameterizedTest
  @CsvSource({
    "JDK, LIMITED",
    "JDK, LIMITED_AND_LOST",
    "OKHTTP, LIMITED",
    "OKHTTP, LIMITED_AND_LOST"
  })
  void a404AfterALimit_isAFailure(Following client, TokenServer.Fault fault) throws Exception {
    try (TokenServer server = new TokenServer()) {
      server.withoutThing().plan(fault);
      assertEquals(Effect.FAILED, client.delete(server.uri("/thing")));
    }
  }

  /** What an interceptor sends twice is one attempt. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteThatAnInterceptorSendsAgain_isAppliedOnce(boolean lost) throws Exception {
    Interceptor resending =
        chain -> {
          if (chain.request().method().equals("GET")) {
            return chain.proceed(chain.request());
          }
          try {
            chain.proceed(chain.request()).close();
          } catch (IOException ignored) {
            // sent again
          }
          return chain.proceed(chain.request());
        };
    RetryingCallFactory calls =
        RetryingCallFactory.wrap(
            new OkHttpClient.Builder().addInterceptor(resending).build(), Entry.RETRY);
    try (VersionedServer server = new VersionedServer("a")) {
      server.plan(Plan.of(lost ? Fault.LOST_AFTER : Fault.NONE));
      EffectResult<String> result = appendBy(calls, server.uri());
      assertEquals(
          End.ALREADY_APPLIED + " " + Effect.SUCCEEDED, result.end() + " " + result.effect());
      assertEquals("ab", server.value());
      assertEquals(1, server.changes());
    }
  }

  /** The 401 was no effect, so the conflict is that of somebody else. */
  @Test
  void aWriteAfterAChallenge_isRepeatedAfterAConflict() throws Exception {
    OkHttpClient client =
        new OkHttpClient.Builder()
            .authenticator((route, response) ->
                response.request().newBuilder().header("Authorization", "new").build())
            .build();
    try (VersionedServer server = new VersionedServer("a")) {
      server.plan(Plan.of(Fault.CHALLENGE), Plan.of(Fault.NONE).before(each -> each + "x"));
      EffectResult<String> result =
          appendBy(RetryingCallFactory.wrap(client, Entry.RETRY), server.uri());
      assertEquals("SUCCEEDED, ACCEPTED, status 204", result.toString());
      assertEquals("axb", server.value());
    }
  }
}
