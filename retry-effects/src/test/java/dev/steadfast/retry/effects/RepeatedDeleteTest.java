package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.effects.TokenServer.Fault;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.OkHttpReports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.function.IntFunction;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A DELETE, repeated or not: whether it took effect, through both clients. */
class RepeatedDeleteTest {
  @AutoClose private TokenServer server;

  @BeforeEach
  void start() throws IOException {
    server = new TokenServer();
  }

  /** A client that deletes and reads what became of it. */
  enum Deleting {
    JDK,
    OKHTTP;

    Effect delete(URI uri, IntFunction<Effect> ifLost) throws Exception {
      if (this == JDK) {
        return jdk(Entry.HTTP, uri, ifLost);
      }
      Request request = new Request.Builder().url(uri.toString()).delete().build();
      try (Response response = Entry.CALLS.newCall(request).execute()) {
        return OkHttpReports.of(response).effect(response.code(), ifLost);
      }
    }
  }

  private static Effect jdk(RetryingHttpClient http, URI uri, IntFunction<Effect> ifLost)
      throws Exception {
    HttpResponse<Void> response =
        http.send(HttpRequest.newBuilder(uri).DELETE().build(), BodyHandlers.discarding());
    return JdkReports.of(response).effect(response.statusCode(), ifLost);
  }

  private static Effect neverAsked(int status) {
    throw new AssertionError("asked after " + status);
  }

  private static Effect goneIsDone(int status) {
    return status == 404 ? Effect.SUCCEEDED : Effect.UNKNOWN;
  }

  private Effect delete(Deleting client, IntFunction<Effect> ifLost) throws Exception {
    return client.delete(server.uri("/thing"), ifLost);
  }

  @ParameterizedTest
  @EnumSource
  void anAnsweredDeletion_isApplied(Deleting client) throws Exception {
    assertEquals(Effect.SUCCEEDED, delete(client, RepeatedDeleteTest::neverAsked));
  }

  @ParameterizedTest
  @EnumSource
  void whatWasNotThere_isNotDeleted(Deleting client) throws Exception {
    server.withoutThing();
    assertEquals(Effect.FAILED, delete(client, RepeatedDeleteTest::neverAsked));
  }

  @ParameterizedTest
  @EnumSource
  void a404AfterALostAnswer_isForTheCallersFunction(Deleting client) throws Exception {
    server.plan(Fault.LOST_AFTER);
    assertEquals(Effect.SUCCEEDED, delete(client, RepeatedDeleteTest::goneIsDone));
  }

  @ParameterizedTest
  @EnumSource
  void a404AfterALostAnswer_isUnknownByDefault(Deleting client) throws Exception {
    server.withoutThing().plan(Fault.LOST_BEFORE);
    assertEquals(Effect.UNKNOWN, delete(client, status -> Effect.UNKNOWN));
  }

  @ParameterizedTest
  @EnumSource
  void a404AfterAnUnavailableServer_isForTheFunctionToo(Deleting client) throws Exception {
    server.withoutThing().plan(Fault.UNAVAILABLE);
    assertEquals(Effect.SUCCEEDED, delete(client, RepeatedDeleteTest::goneIsDone));
  }

  @ParameterizedTest
  @EnumSource
  void anotherRefusalAfterALostAnswer_isNoSignOfSuccess(Deleting client) throws Exception {
    server.plan(Fault.LOST_AFTER, Fault.FORBIDDEN);
    assertEquals(Effect.UNKNOWN, delete(client, RepeatedDeleteTest::goneIsDone));
  }

  @ParameterizedTest
  @EnumSource
  void aStored404_isTheAnswerToTheFirstAttempt(Deleting client) throws Exception {
    server.withoutThing().plan(Fault.LOST_BEFORE, Fault.REPLAYED);
    assertEquals(Effect.FAILED, delete(client, RepeatedDeleteTest::neverAsked));
  }

  @ParameterizedTest
  @EnumSource
  void aStoredSuccess_isAnEarlierOne(Deleting client) throws Exception {
    server.plan(Fault.LOST_BEFORE, Fault.REPLAYED);
    assertEquals(Effect.SUCCEEDED, delete(client, RepeatedDeleteTest::neverAsked));
  }

  @ParameterizedTest
  @EnumSource
  void anUnavailableServer_mayHaveDeleted(Deleting client) throws Exception {
    Fault fault = Fault.UNAVAILABLE;
    server.plan(fault, fault, fault);
    assertEquals(Effect.UNKNOWN, delete(client, RepeatedDeleteTest::neverAsked));
  }

  /** Rules of the user's for which a 404 is a success. */
  private static final class GoneIsFine implements HttpClassifier {
    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      return response.status() == 404
          ? Verdict.accepted()
          : StandardRules.defaults().onResponse(operation, response, signals);
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      return StandardRules.defaults().onFailure(operation, failure);
    }
  }

  @Test
  void rulesThatAcceptA404_haveItSucceed() throws Exception {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(Entry.AT_ONCE)
            .budget(RetryBudget.unlimited())
            .classifier(new GoneIsFine())
            .build();
    RetryingHttpClient http = RetryingHttpClient.wrap(Entry.JDK_CLIENT, retry);
    server.plan(Fault.LOST_AFTER);
    URI uri = server.uri("/thing");
    assertEquals(Effect.SUCCEEDED, jdk(http, uri, RepeatedDeleteTest::neverAsked));
    assertEquals(Effect.SUCCEEDED, jdk(http, uri, RepeatedDeleteTest::neverAsked));
  }
}
