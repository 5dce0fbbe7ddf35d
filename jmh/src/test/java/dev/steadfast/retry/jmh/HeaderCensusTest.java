package dev.steadfast.retry.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the table of header lines is measured with. */
class HeaderCensusTest {

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void theServerSpeaksBothVersions(HttpClient.Version version) throws Exception {
    try (HeaderServer server = new HeaderServer(503, List.of(Map.entry("retry-after", "7")))) {
      HttpClient client = HttpClient.newBuilder().version(version).build();
      for (int answers = 1; answers <= 3; answers++) {
        HttpResponse<String> response =
            client.send(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
        assertEquals(version, response.version());
        assertEquals(503, response.statusCode());
        assertEquals(List.of("7"), response.headers().allValues("retry-after"));
        assertEquals(answers, server.answers());
      }
    }
  }

  @Test
  void everyEntryPointRuns() throws Exception {
    new HeaderCensus(1, 1).print("request lines");
  }
}
