package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** QUERY (RFC 10008) and redirects, which OkHttp follows within an attempt. */
class QueryTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  static Stream<Arguments> redirects() {
    List<Arguments> all = new ArrayList<>();
    for (Entry entry : Entry.values()) {
      for (int status : new int[] {301, 302, 303, 307, 308}) {
        all.add(Arguments.of(entry, status));
      }
    }
    return all.stream();
  }

  /** Before 5.5, OkHttp makes a GET of it on 301 and 302, as of every method but PROPFIND. */
  private static String after(int status) {
    boolean get = status == 303 || (status < 303 && Calls.okHttp4());
    return get ? "GET " : "QUERY name";
  }

  @ParameterizedTest
  @MethodSource("redirects")
  void methodAndBodyAreKept_exceptOn303(Entry entry, int status) {
    Call.Factory calls = rig.calls(entry, Rig.builder(), rig.retry().build());
    Reply redirect = Reply.status(status).header("Location", server.uri("/next").toString());
    server.enqueue(redirect, Reply.status(503), redirect);
    Request query =
        new Request.Builder()
            .url(server.uri("/search").toString())
            .method("QUERY", RequestBody.create("name", null))
            .build();

    Entry.Outcome got = entry.make(calls.newCall(query));

    assertEquals(200, got.status());
    assertEquals(2, got.report().attempts());
    String next = after(status);
    assertEquals(List.of("QUERY name", next, "QUERY name", next), sent());
  }

  private List<String> sent() {
    return server.requests().stream().map(QueryTest::text).toList();
  }

  private static String text(Received request) {
    return request.method() + " " + request.bodyText();
  }
}
