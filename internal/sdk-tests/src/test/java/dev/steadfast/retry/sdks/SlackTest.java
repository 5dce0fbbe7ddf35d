package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.slack.api.Slack;
import com.slack.api.SlackConfig;
import com.slack.api.methods.SlackApiException;
import com.slack.api.methods.response.chat.ChatPostMessageResponse;
import com.slack.api.util.http.SlackHttpClient;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class SlackTest {
  private static final String SDK = "Slack";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static Slack slack(String url, HttpRetry retry) {
    SlackConfig config = new SlackConfig();
    config.setMethodsEndpointUrlPrefix(url + "/");
    config.setStatsEnabled(false);
    OkHttpClient http = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    Slack slack = Slack.getInstance(config, new SlackHttpClient(http));
    return slack;
  }

  @Test
  void steadfastAlone() throws Exception {
    server.recovers("{\"ok\":true}");
    try (Slack slack = slack(server.url(), retry)) {
      assertTrue(post(slack).isOk());
    }
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() throws Exception {
    server.isDown();
    try (Slack slack = slack(server.url(), retry)) {
      assertEquals(
          503, assertThrows(SlackApiException.class, () -> post(slack)).getResponse().code());
    }
    server.assertAlone(SDK, 3, 1);
  }

  static ChatPostMessageResponse post(Slack slack) throws Exception {
    return slack.methods("token").chatPostMessage(it -> it.channel("C1").text("hello"));
  }
}
