package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import io.minio.Http;
import io.minio.MinioClient;
import io.minio.PutObjectArgs;
import io.minio.errors.MinioException;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class MinioTest {
  private static final String SDK = "MinIO";
  private static final byte[] OBJECT = "content".getBytes(StandardCharsets.UTF_8);

  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  static MinioClient client(String url, HttpRetry retry) {
    OkHttpClient http = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    // region sdk-minio
    MinioClient client =
        MinioClient.builder()
            .endpoint(url)
            .credentials("access", "secret")
            .region("us-east-1")
            .httpClient(http) // not Http.newDefaultClient(), which retries
            .build();
    client.setRetry(null, null, null); // or traceOn(...) would turn MinIO's retries on
    // endregion
    return client;
  }

  @Test
  void steadfastAlone() throws Exception {
    server.recovers(Reply.status(200).header("ETag", "\"1\""));
    try (MinioClient client = client(server.url(), retry)) {
      put(client);
    }
    server.assertAlone(SDK, 3, 0);
    for (Received each : server.requests()) {
      assertEquals("PUT content", each.method() + " " + each.bodyText());
    }
  }

  @Test
  void steadfastAlone_fromAStream() throws Exception {
    server.recovers(Reply.status(200).header("ETag", "\"1\""));
    try (MinioClient client = client(server.url(), retry)) {
      client.putObject(
          PutObjectArgs.builder().bucket("bucket").object("o").stream(
                  new ByteArrayInputStream(OBJECT), (long) OBJECT.length, -1L)
              .build());
    }
    for (Received each : server.requests()) {
      assertEquals("PUT content", each.method() + " " + each.bodyText());
    }
    server.assertAlone(SDK, 3, 0);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown_andATraceIsOn() throws Exception {
    server.isDown();
    try (MinioClient client = client(server.url(), retry)) {
      client.traceOn(OutputStream.nullOutputStream());
      assertThrows(MinioException.class, () -> put(client));
    }
    server.assertAlone(SDK, 3, 0);
  }

  @Test
  void bothRetry() throws Exception {
    server.isDown();
    OkHttpClient.Builder retrying =
        new OkHttpClient.Builder() // as Http.newDefaultClient(), and without its waits
            .addInterceptor(new Http.StatusRetryInterceptor(Set.of(503), 1, 5));
    try (MinioClient client =
        MinioClient.builder()
            .endpoint(server.url())
            .credentials("access", "secret")
            .region("us-east-1")
            .httpClient(RetryInterceptor.addTo(retrying, retry).build())
            .build()) {
      assertThrows(MinioException.class, () -> put(client));
    }
    server.assertBoth(SDK, 7, 0);
  }

  private static void put(MinioClient client) throws MinioException {
    client.putObject(
        PutObjectArgs.builder().bucket("bucket").object("o").data(OBJECT, OBJECT.length).build());
  }
}
