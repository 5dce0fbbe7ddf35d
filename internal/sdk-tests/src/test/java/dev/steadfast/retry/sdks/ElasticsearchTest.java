package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import co.elastic.clients.transport.rest5_client.low_level.Request;
import co.elastic.clients.transport.rest5_client.low_level.Rest5Client;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class ElasticsearchTest {
  private static final String SDK = "elasticsearch-rest5-client";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  private static Rest5Client client(String url, HttpRetry retry) {
    // region sdk-elasticsearch
    Rest5Client client =
        Rest5Client.builder(URI.create(url)) // one node
            .setHttpClientConfigCallback(http -> Apache5Retry.addTo(http, retry))
            .build();
    // endregion
    return client;
  }

  private static int index(Rest5Client client) throws IOException {
    Request request = new Request("POST", "/orders/_doc");
    request.setJsonEntity("{}");
    return client.performRequest(request).getStatusCode();
  }

  @Test
  void steadfastAlone() throws IOException {
    server.recovers("{}");
    try (Rest5Client client = client(server.url(), retry)) {
      assertEquals(200, index(client));
    }
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() throws IOException {
    server.isDown();
    try (Rest5Client client = client(server.url(), retry)) {
      assertThrows(IOException.class, () -> index(client));
    }
    server.assertAlone(SDK, 3, 1);
  }

  private Rest5Client twoNodes(HttpRetry configured) {
    URI first = URI.create(server.url());
    URI second = URI.create("http://localhost:" + first.getPort());
    return Rest5Client.builder(first, second)
        .setHttpClientConfigCallback(http -> Apache5Retry.addTo(http, configured))
        .build();
  }

  @Test
  void bothRetry() throws IOException {
    server.isDown();
    try (Rest5Client client = twoNodes(retry)) {
      assertThrows(IOException.class, () -> index(client));
    }
    server.assertBoth(SDK, 6, 2);
  }

  /** The client's own failover repeats a POST, whatever the first node did. */
  @Test
  void withoutKeys_theFailoverOfTheClientRepeatsAPost() throws IOException {
    server.isDown();
    try (Rest5Client client = twoNodes(HttpRetry.defaults())) {
      assertThrows(IOException.class, () -> index(client));
    }
    server.assertCounted(2, 0);
  }
}
