package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** QUERY (RFC 10008) and redirects, which the JDK's client follows within an attempt. */
class QueryTest {
  @RegisterExtension private final Bench bench = new Bench();

  static Stream<Arguments> redirects() {
    List<Arguments> all = new ArrayList<>();
    for (Entry entry : Entry.values()) {
      for (int status : new int[] {301, 302, 303, 307, 308}) {
        all.add(Arguments.of(entry, status));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("redirects")
  void methodAndBodyAreKept_exceptOn303(Entry entry, int status) throws Throwable {
    HttpClient plain = Bench.plain().followRedirects(HttpClient.Redirect.NORMAL).build();
    RetryingHttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());
    Reply redirect = Reply.status(status).header("Location", bench.server.uri("/next").toString());
    bench.server.enqueue(redirect, Reply.status(503), redirect);
    HttpRequest query =
        HttpRequest.newBuilder(bench.server.uri("/search"))
            .method("QUERY", BodyPublishers.ofString("name"))
            .build();

    HttpResponse<String> response = entry.call(client, query, BodyHandlers.ofString());

    assertEquals(200, response.statusCode());
    assertEquals(2, JdkReports.of(response).attempts());
    String next = status == 303 ? "GET " : "QUERY name";
    assertEquals(List.of("QUERY name", next, "QUERY name", next), sent());
  }

  private List<String> sent() {
    return bench.server.requests().stream().map(QueryTest::text).toList();
  }

  private static String text(Received request) {
    return request.method() + " " + request.bodyText();
  }
}
