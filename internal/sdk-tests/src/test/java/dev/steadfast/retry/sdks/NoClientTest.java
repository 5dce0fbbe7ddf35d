package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.tck.Reply;
import io.ktor.client.engine.java.JavaHttpConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.rest.HTTPClient;
import org.apache.iceberg.rest.auth.AuthSession;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.responses.CreateNamespaceResponse;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;

/** SDKs that take no client, as the page says. */
final class NoClientTest {

  private static List<String> takes(Class<?> builder, Class<?>... clients) {
    return Stream.of(builder.getMethods())
        .filter(method ->
            Stream.of(method.getParameterTypes())
                .anyMatch(
                    type -> Stream.of(clients).anyMatch(client -> client.isAssignableFrom(type))))
        .map(Object::toString)
        .toList();
  }

  @Test
  void theyTakeNoClient() {
    Class<?>[] apache = {HttpClient.class, HttpClientBuilder.class};
    assertEquals(List.of(), takes(Apache5HttpClient.Builder.class, apache));
    assertEquals(List.of(), takes(HTTPClient.Builder.class, apache));
    assertEquals(List.of(), takes(JavaHttpConfig.class, java.net.http.HttpClient.class));
  }

  /** With one retry; the default are five. */
  @Test
  void icebergRepeatsAPostAfter429_andNotAfter503() throws IOException {
    try (CountingServer server = new CountingServer();
        HTTPClient iceberg =
            HTTPClient.builder(Map.of("rest.client.max-retries", "1"))
                .uri(server.url())
                .withAuthSession(AuthSession.EMPTY)
                .build()) {
      server.isDown();
      assertThrows(IllegalStateException.class, () -> create(iceberg));
      server.assertCounted(1, 0);
      server.answers(Reply.status(429).header("Retry-After", "0"));
      assertThrows(IllegalStateException.class, () -> create(iceberg));
      server.assertCounted(3, 0);
    }
  }

  private static void create(HTTPClient iceberg) {
    iceberg.post(
        "v1/namespaces",
        CreateNamespaceRequest.builder().withNamespace(Namespace.of("a")).build(),
        CreateNamespaceResponse.class,
        Map.of(),
        error -> {
          throw new IllegalStateException(error.message());
        });
  }
}
