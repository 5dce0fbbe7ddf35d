package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request whose query has a secret is not journaled as it is. */
class SecretQueryTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();
  private static final TestDatabase DATABASE = JOURNALS.open(TestDatabase.Kind.H2);
  private static final String NOWHERE = "http://127.0.0.1:1/pay";

  private static RetryingHttpClient client(OperationJournal journal) {
    HttpRetry retry = HttpRetry.builder().journal(journal).build();
    RetryOptions charge = RetryOptions.builder().journaled("charge", "order-1").build();
    return RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry).with(charge);
  }

  private static HttpRequest get(String uri) {
    return HttpRequest.newBuilder(URI.create(uri)).build();
  }

  private static JdbcJournal journal(Settings settings) throws IOException {
    return JdbcJournal.builder(DATABASE.source()).settings(settings).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"token", "api_key", "API_KEY", "%74oken", "X-Amz-Signature", "key"})
  void aCallIsRefusedByTheNameOfItsParameter(String name) throws Exception {
    DATABASE.empty();
    HttpRequest request = get(NOWHERE + "?order=1&" + name + "=s3cret");
    RetryingHttpClient client = client(journal(Settings.defaults()));
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> client.send(request, BodyHandlers.ofString()));
    String told = String.valueOf(refused.getMessage());
    assertTrue(told.contains("query of a journaled request: " + name.replace("%74", "t")), told);
    assertTrue(!told.contains("s3cret"), told);
    assertThrows(IllegalArgumentException.class, () -> client.intent(request));
    assertEquals("0", DATABASE.query("select count(*) from steadfast_operation"));
  }

  /** What OpenTelemetry keeps out of traces, the journal keeps out of its table. */
  @ParameterizedTest
  @ValueSource(strings = {"AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature"})
  void soIsWhatTracesDoNotShow(String name) throws Exception {
    RetryingHttpClient client = client(journal(Settings.defaults()));
    HttpRequest request = get(NOWHERE + "?" + name + "=s3cret");
    assertThrows(IllegalArgumentException.class, () -> client.intent(request));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?", "?order=token", "?tokens=5", "?a&b=%zz&&=c"})
  void anotherQueryIsKept(String query) throws Exception {
    String uri = NOWHERE + query.replace("%zz", "%25zz");
    client(journal(Settings.defaults())).intent(get(uri));
  }

  @Test
  void namesAreTheUsers() throws Exception {
    RetryingHttpClient client = client(journal(Settings.defaults().withSecretParameters("pin")));
    client.intent(get(NOWHERE + "?token=page-2"));
    assertThrows(IllegalArgumentException.class, () -> client.intent(get(NOWHERE + "?Pin=1234")));
    assertThrows(
        IllegalArgumentException.class, () -> Settings.defaults().withSecretParameters(""));
  }

  @Test
  void aJournalWithACodecKeepsIt() throws Exception {
    JdbcJournal journal = JdbcJournal.builder(DATABASE.source()).codec(new AesGcm(1)).build();
    client(journal).intent(get(NOWHERE + "?token=s3cret"));
    assertThrows(
        IOException.class,
        () -> client(journal).send(get(NOWHERE + "?token=s3cret"), BodyHandlers.ofString()));
    String uri = String.valueOf(DATABASE.column("uri"));
    assertTrue(uri.startsWith(NOWHERE + "?{"), uri);
    assertTrue(!uri.contains("token"), uri);
  }

  @Test
  void aJournalInMemoryKeepsNoQuery() {
    client(OperationJournal.inMemory(10)).intent(get(NOWHERE + "?token=s3cret"));
  }
}
