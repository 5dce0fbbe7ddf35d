package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

/** Answers that a client asks for packed, and unpacks. */
final class PackedAnswerTest {
  private static final String TEXT = "tea, please. ".repeat(300);

  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private RestClient client(SpringClient client) {
    HttpRetry retry =
        HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
    return RestClient.builder()
        .baseUrl(server.uri("").toString())
        .requestFactory(client.requests(retry))
        .build();
  }

  /** The JDK's client unpacks nothing, and Spring does it from version 7 on. */
  private static void assumeUnpacks(SpringClient client) {
    assumeTrue(client != SpringClient.JDK || Compression.IS_SPRINGS, "Spring 6.2");
  }

  private static Reply packed(int status) {
    return Reply.status(status)
        .header("Content-Type", "text/plain")
        .header("Content-Encoding", "gzip")
        .body(Packed.gzip(TEXT));
  }

  @ParameterizedTest
  @EnumSource
  void itsHeadersAreThoseOfTheUnpackedBody(SpringClient client) {
    assumeUnpacks(client);
    server.enqueue(packed(200), packed(200).chunked(), packed(200));
    for (int i = 0; i < 2; i++) {
      ResponseEntity<String> answer =
          client(client).get().uri("/a").retrieve().toEntity(String.class);
      assertEquals(TEXT, answer.getBody());
      assertUnpacked(answer.getHeaders());
    }
    assertUnpacked(client(client).get().uri("/a").retrieve().toBodilessEntity().getHeaders());
  }

  private static void assertUnpacked(HttpHeaders headers) {
    assertEquals(null, headers.getFirst("Content-Encoding"));
    assertEquals(-1, headers.getContentLength());
    assertEquals("text/plain", headers.getFirst("Content-Type"));
  }

  @ParameterizedTest
  @EnumSource
  void theLastAnswerOfSeveralIsWhole(SpringClient client) {
    assumeUnpacks(client);
    server.enqueue(packed(503), packed(503), packed(503));
    HttpServerErrorException thrown =
        assertThrows(
            HttpServerErrorException.class,
            () -> client(client).get().uri("/a").retrieve().body(String.class));
    assertEquals(TEXT, thrown.getResponseBodyAsString());
    assertUnpacked(thrown.getResponseHeaders());
    assertEquals(3, server.requests().size());
  }

  @Test
  void deflateIsUnpackedOnTheJdksClient_andAnotherCodingIsLeft() {
    assumeUnpacks(SpringClient.JDK);
    server.enqueue(
        Reply.status(200).header("Content-Encoding", "deflate").body(Packed.deflate(TEXT)),
        Reply.status(200).header("Content-Encoding", "br").body("odd"));
    RestClient rest = client(SpringClient.JDK);
    assertEquals(TEXT, rest.get().uri("/a").retrieve().body(String.class));
    ResponseEntity<String> left = rest.get().uri("/b").retrieve().toEntity(String.class);
    assertEquals("odd", left.getBody());
    assertEquals("br", left.getHeaders().getFirst("Content-Encoding"));
    assertEquals(1, server.connectionsAccepted());
  }
}
