package dev.steadfast.retry.spring;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The JDK's client. */
record JdkWire(RetryingHttpClient client) implements Wire {
  private static final Set<String> REFUSED_HEADERS = refusedHeaders();
  private static final RetryOptions SENT_ONCE =
      RetryOptions.builder().bodyRepeatable(false).build();
  private static final RetryOptions SENT_AGAIN =
      RetryOptions.builder().bodyRepeatable(true).build();

  @Override
  public SpringAnswer send(Head head, byte @Nullable [] body) throws IOException {
    BodyPublisher publisher =
        body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
    return send(head, head.options(), publisher, () -> {});
  }

  @Override
  public SpringAnswer send(Head head, RepeatableBody body) throws IOException {
    WrittenAgain written = new WrittenAgain(body);
    boolean answered = false;
    try {
      SpringAnswer answer = send(head, head.options().with(SENT_AGAIN), written, written::end);
      answered = true;
      return answer;
    } finally {
      if (!answered) {
        written.end();
      }
    }
  }

  private SpringAnswer send(Head head, RetryOptions options, BodyPublisher body, Runnable close)
      throws IOException {
    try {
      HttpResponse<InputStream> response =
          client.with(options).send(request(head, body), BodyHandlers.ofInputStream());
      return new JdkAnswer(response, close);
    } catch (InterruptedException interrupted) {
      throw Wire.interrupted(interrupted);
    }
  }

  @Override
  public Upload begin(Head head) {
    ChunkPublisher chunks = new ChunkPublisher(head.headers().getContentLength());
    CompletableFuture<HttpResponse<InputStream>> sent =
        client
            .with(head.options().with(SENT_ONCE))
            .sendAsync(request(head, chunks), BodyHandlers.ofInputStream());
    CompletableFuture<SpringAnswer> answer =
        sent.thenApply(response -> new JdkAnswer(response, chunks::breakOff));
    answer.whenComplete((come, failure) -> chunks.abandon());
    return new Upload(new BufferedOutputStream(chunks), answer, () -> sent.cancel(true));
  }

  private static HttpRequest request(Head head, BodyPublisher body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(head.uri());
    head.forEachLine((name, value) -> add(request, name, value));
    if (asksForPacked(head)) {
      Compression.CODINGS.forEach(coding -> request.header("Accept-Encoding", coding));
    }
    // GET and DELETE go out without a length if they have no body publisher.
    return switch (head.method().name()) {
      case "GET" -> hasBody(body) ? request.method("GET", body).build() : request.GET().build();
      case "DELETE" ->
          hasBody(body) ? request.method("DELETE", body).build() : request.DELETE().build();
      default -> request.method(head.method().name(), body).build();
    };
  }

  // A journal keeps an answer as it came, and its readers do not decompress it.
  private static boolean asksForPacked(Head head) {
    return Compression.IS_SPRINGS
        && head.headers().getFirst("Accept-Encoding") == null
        && !head.options().isJournaled();
  }

  private static boolean hasBody(BodyPublisher body) {
    return body.contentLength() != 0;
  }

  private static void add(HttpRequest.Builder request, String name, String value) {
    if (!REFUSED_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
      request.header(name, value);
    }
  }

  // The client refuses the first five, and sets Content-Length by itself. It would send
  // Transfer-Encoding over a body that is not chunked.
  private static Set<String> refusedHeaders() {
    Set<String> refused =
        new TreeSet<>(Set.of("connection", "content-length", "expect", "host", "upgrade"));
    for (String allowed :
        System.getProperty("jdk.httpclient.allowRestrictedHeaders", "").split(",", -1)) {
      refused.remove(allowed.trim().toLowerCase(Locale.ROOT));
    }
    refused.add("transfer-encoding");
    return Set.copyOf(refused);
  }
}
