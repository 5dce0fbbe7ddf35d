package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A POST without a key through a client that follows redirects. Only the whole response tells
 * whether there was one.
 */
class UnsafeRedirectTest {
  private static final Reply CREATED = Reply.status(201).body("created");
  @RegisterExtension private final Bench bench = new Bench();

  private HttpClient client(Redirect redirect) {
    HttpClient plain = Bench.plain().followRedirects(redirect).build();
    return RetryingHttpClient.wrap(plain, bench.retry().build());
  }

  private HttpResponse<String> post(Entry entry) throws Throwable {
    return entry.call(client(Redirect.NORMAL), bench.post("100"), BodyHandlers.ofString());
  }

  /** A long answer and one that breaks: neither says more of the redirects than its head. */
  static Stream<Arguments> bodies() {
    return Arrays.stream(Entry.values())
        .flatMap(entry ->
            Stream.of(
                    Reply.status(429).body("x".repeat(300_000)),
                    Reply.truncatedBody(429, 100, "half"))
                .map(answer -> Arguments.of(entry, answer)));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void anAnswerAfterNoRedirectRefusesTheRequest(Entry entry, Reply answer) throws Throwable {
    bench.server.enqueue(answer, CREATED);

    HttpResponse<String> response = post(entry);

    assertEquals(201, response.statusCode());
    assertEquals(2, JdkReports.of(response).attempts());
  }

  /** A challenge is a refusal, and proves nothing of the request after it. */
  @ParameterizedTest
  @MethodSource("afterChallenge")
  void anAnswerAfterAChallengeIsThatOfItsRequest(Entry entry, int status) throws Throwable {
    Reply challenge = Reply.status(401).header("WWW-Authenticate", "Basic realm=\"x\"");
    bench.server.enqueue(challenge, Reply.status(status), CREATED);
    HttpClient plain =
        Bench.plain().followRedirects(Redirect.NORMAL).authenticator(new Known()).build();
    HttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());

    HttpResponse<String> response = entry.call(client, bench.post("100"), BodyHandlers.ofString());

    boolean refused = status == 429;
    RetryReport report = JdkReports.of(response);
    assertEquals(refused ? 201 : status, response.statusCode(), report::toString);
    assertEquals(refused ? 2 : 1, report.attempts(), report::toString);
    assertEquals(refused ? 3 : 2, bench.server.requests().size());
  }

  static Stream<Arguments> afterChallenge() {
    return Arrays.stream(Entry.values())
        .flatMap(entry -> Stream.of(429, 503).map(status -> Arguments.of(entry, status)));
  }

  private static final class Known extends Authenticator {
    @Override
    protected PasswordAuthentication getPasswordAuthentication() {
      return new PasswordAuthentication("user", "password".toCharArray());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerAfterARedirectIsForTheCaller(Entry entry) throws Throwable {
    String body = "x".repeat(300_000);
    bench.server.enqueue(redirect(), Reply.status(429).body(body));

    HttpResponse<String> response = post(entry);

    assertEquals(429, response.statusCode());
    assertEquals(body, response.body());
    assertEquals(StopReason.NOT_REPLAYABLE, JdkReports.of(response).reason());
    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatBreaksAfterARedirectIsJudgedByItsHead(Entry entry) throws Throwable {
    bench.server.enqueue(redirect(), Reply.truncatedBody(429, 100, "half"), CREATED);

    IOException broken = assertThrows(IOException.class, () -> post(entry));

    RetryReport report = RetryReport.of(broken).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason(), report::toString);
    assertEquals(2, bench.server.requests().size());
  }

  private Reply redirect() {
    return Reply.status(303).header("Location", bench.server.uri("/next").toString());
  }

  @ParameterizedTest
  @EnumSource
  void aClientWithoutRedirectsDecidesByTheHead(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.truncatedBody(429, 100, "half"), CREATED);

    HttpResponse<String> response =
        entry.call(client(Redirect.NEVER), bench.post("100"), BodyHandlers.ofString());

    assertEquals(201, response.statusCode());
    assertEquals(2, JdkReports.of(response).attempts());
  }
}
