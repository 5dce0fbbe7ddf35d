package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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
  private static final Reply BUSY = Reply.status(429).header("X-Why", "load").body("busy");

  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    bench.close();
  }

  private HttpClient client(Redirect redirect) {
    HttpClient plain = Bench.plain().followRedirects(redirect).build();
    return RetryingHttpClient.wrap(plain, bench.retry().build());
  }

  private HttpResponse<String> post(Entry entry) throws Throwable {
    return entry.call(client(Redirect.NORMAL), bench.post("100"), BodyHandlers.ofString());
  }

  private List<String> methods() {
    List<String> methods = new ArrayList<>();
    for (Received each : bench.server.requests()) {
      methods.add(each.method() + " " + each.target());
    }
    return methods;
  }

  @ParameterizedTest
  @EnumSource
  void itIsSentAgainIfThereWasNoRedirect(Entry entry) throws Throwable {
    bench.server.enqueue(BUSY, CREATED);

    HttpResponse<String> response = post(entry);

    assertEquals(201, response.statusCode());
    assertEquals("created", response.body());
    RetryReport report = JdkReports.of(response);
    assertEquals(2, report.attempts(), report::toString);
    assertFalse(report.outcomeUnknown());
  }

  static Stream<Arguments> redirects() {
    return Arrays.stream(Entry.values())
        .flatMap(
            entry -> Stream.of(301, 302, 303, 307, 308).map(status -> Arguments.of(entry, status)));
  }

  @ParameterizedTest
  @MethodSource("redirects")
  void itIsNotAfterARedirect(Entry entry, int status) throws Throwable {
    bench.server.enqueue(Reply.status(status).header("Location", "/other"), BUSY);

    HttpResponse<String> response = post(entry);

    assertEquals(429, response.statusCode());
    assertEquals("busy", response.body());
    assertEquals("load", response.headers().firstValue("X-Why").orElseThrow());
    assertEquals(bench.server.uri("/other"), response.uri());
    RetryReport report = JdkReports.of(response);
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason(), report::toString);
    boolean followedByPost = status >= 307;
    assertEquals(!followedByPost, report.outcomeUnknown());
    assertEquals(List.of("POST /things", (followedByPost ? "POST" : "GET") + " /other"), methods());
  }

  /** Nothing more is known when so much of the body has come. */
  @ParameterizedTest
  @EnumSource
  void aLongAnswerIsForTheCaller(Entry entry) throws Throwable {
    String body = "x".repeat(300_000);
    bench.server.enqueue(Reply.status(429).body(body));

    HttpResponse<String> response = post(entry);

    assertEquals(429, response.statusCode());
    assertEquals(body, response.body());
    assertEquals(StopReason.NOT_REPLAYABLE, JdkReports.of(response).reason());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatProvesNothingIsForTheCaller(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("sorry"));

    HttpResponse<String> response = post(entry);

    assertEquals("sorry", response.body());
    assertEquals(StopReason.NOT_REPLAYABLE, JdkReports.of(response).reason());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatBreaksIsJudgedByItsHead(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.truncatedBody(429, 100, "half"), CREATED);

    IOException broken = assertThrows(IOException.class, () -> post(entry));

    RetryReport report = RetryReport.of(broken).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason(), report::toString);
    assertEquals(1, bench.server.requests().size());
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
