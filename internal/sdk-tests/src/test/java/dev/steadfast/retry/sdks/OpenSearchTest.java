package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.URI;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.opensearch.client.Request;
import org.opensearch.client.RestClient;

@SuppressWarnings("deprecation") // its applications use this client still
final class OpenSearchTest {
  private static final String SDK = "opensearch-rest-client";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  private static RestClient client(URI uri, HttpRetry retry) {
    RestClient client =
        RestClient.builder(HttpHost.create(uri)) // one node
            .setHttpClientConfigCallback(http -> Apache5Retry.addTo(http, retry))
            .build();
    return client;
  }

  private static int index(RestClient client) throws IOException {
    Request request = new Request("POST", "/orders/_doc");
    request.setJsonEntity("{}");
    return client.performRequest(request).getStatusLine().getStatusCode();
  }

  @Test
  void steadfastAlone() throws IOException {
    server.recovers("{}");
    try (RestClient client = client(URI.create(server.url()), retry)) {
      assertEquals(200, index(client));
    }
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() throws IOException {
    server.isDown();
    try (RestClient client = client(URI.create(server.url()), retry)) {
      assertThrows(IOException.class, () -> index(client));
    }
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void bothRetry() throws IOException {
    server.isDown();
    URI first = URI.create(server.url());
    HttpHost second = new HttpHost("http", "localhost", first.getPort());
    try (RestClient client =
        RestClient.builder(HttpHost.create(first), second)
            .setHttpClientConfigCallback(http -> Apache5Retry.addTo(http, retry))
            .build()) {
      assertThrows(IOException.class, () -> index(client));
    }
    server.assertBoth(SDK, 6, 2);
  }
}
