package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules read the type of an error whose body is packed. java.net.http unpacks nothing. */
final class PackedErrorTest {
  private final FakeTime time = new FakeTime();

  @ParameterizedTest
  @CsvSource({
    "gzip, 200",
    "x-gzip, 200",
    "deflate, 200",
    "identity, 200",
    "br, 529",
    "broken, 529"
  })
  void theRulesReadItsType(String coding, int status) throws Exception {
    StandardRules rules = StandardRules.builder().refusedBy(529, "overloaded_error").build();
    HttpRetry retry =
        HttpRetry.builder()
            .environment(time.environment())
            .listener(time.skipWaits())
            .classifier(rules)
            .build();
    try (ScriptedServer server = ScriptedServer.start()) {
      String said = coding.equals("broken") ? "gzip" : coding;
      server.enqueue(Reply.status(529).header("Content-Encoding", said).body(packed(coding)));
      server.defaultReply(Reply.status(200));
      HttpRequest post =
          HttpRequest.newBuilder(server.uri("/"))
              .POST(HttpRequest.BodyPublishers.ofString("prompt"))
              .build();
      RetryingHttpClient client = RetryingHttpClient.wrap(Bench.plain().build(), retry);
      assertEquals(status, client.send(post, BodyHandlers.discarding()).statusCode());
    }
  }

  private static byte[] packed(String coding) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out =
        switch (coding) {
          case "gzip", "x-gzip" -> new GZIPOutputStream(packed);
          case "deflate", "br" -> new DeflaterOutputStream(packed);
          default -> packed;
        }) {
      out.write("{\"error\":{\"type\":\"overloaded_error\"}}".getBytes(UTF_8));
    }
    return packed.toByteArray();
  }
}
