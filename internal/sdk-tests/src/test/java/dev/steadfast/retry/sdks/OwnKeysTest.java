package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.genai.Client;
import com.slack.api.Slack;
import dev.steadfast.retry.http.HttpRetry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Without {@code idempotencyKeys}: no SDK has a key of its own, so a POST is not repeated. */
final class OwnKeysTest {
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = HttpRetry.defaults();
  private final String url = server.url();

  @Test
  void aPostIsSentOnceAfter503() throws Exception {
    server.isDown();
    fails(() -> OpenAiTest.ask(OpenAiTest.client(url, retry)));
    try (Client client = GoogleGenAiTest.client(url, retry)) {
      fails(() -> client.models.generateContent("m", "hello", null));
    }
    fails(() -> Langchain4jTest.model(url, retry).chat("hello"));
    try (Slack slack = SlackTest.slack(url, retry)) {
      fails(() -> SlackTest.post(slack));
    }
    fails(() -> FeignOkHttpTest.payments(url, retry).pay("{}"));
    fails(() -> FeignJdkTest.payments(url, retry).pay("{}"));
    assertEquals(503, AzureOkHttpTest.post(AzureOkHttpTest.pipeline(retry), server));
    assertEquals(
        503, AzureOkHttpTest.post(AzureOkHttpTest.pipeline(AzureJdkTest.client(retry)), server));
    server.assertCounted(8, 0);
  }

  private static void fails(Executable call) {
    assertThrows(Exception.class, call);
  }
}
