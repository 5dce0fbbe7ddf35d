package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.EntryPoint;
import dev.steadfast.retry.tck.Follows;
import dev.steadfast.retry.tck.HttpCall;
import dev.steadfast.retry.tck.ScenarioOutcome;
import dev.steadfast.retry.tck.ScenarioOutcome.Category;
import dev.steadfast.retry.tck.Trait;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.PasswordAuthentication;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The two ways into the library for users of {@code java.net.http}. */
final class JdkEntryPoints {
  private JdkEntryPoints() {}

  static EntryPoint[] all() {
    return new EntryPoint[] {new Sent(false), new Sent(true)};
  }

  private static final Authenticator PASSWORD =
      new Authenticator() {
        @Override
        protected PasswordAuthentication getPasswordAuthentication() {
          return new PasswordAuthentication("me", "secret".toCharArray());
        }
      };

  private record Sent(boolean async) implements EntryPoint {
    @Override
    public String name() {
      return async ? "JDK sendAsync" : "JDK send";
    }

    @Override
    public Set<Trait> traits() {
      Set<Trait> traits =
          async
              ? EnumSet.of(Trait.ASYNC, Trait.LATE_CANCEL, Trait.CANCEL_WITHOUT_REPORT)
              : EnumSet.of(Trait.NO_CANCEL, Trait.WAITS_ON_OTHER_THREADS);
      traits.add(Trait.RESENDS_READS);
      traits.add(Trait.HIDES_STALE_CONNECTIONS);
      traits.add(Trait.VIRTUAL_PATIENCE);
      return traits;
    }

    @Override
    public Client open(HttpRetry retry) {
      return open(retry, Follows.NOTHING);
    }

    @Override
    public boolean canFollow() {
      return true;
    }

    @Override
    public Client open(HttpRetry retry, Follows follows) {
      HttpClient.Builder plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
      plain =
          switch (follows) {
            case NOTHING -> plain.followRedirects(HttpClient.Redirect.NEVER);
            case REDIRECTS -> plain.followRedirects(HttpClient.Redirect.NORMAL);
            case CHALLENGES -> plain.authenticator(PASSWORD);
          };
      return new UnderTest(plain.build(), retry, async);
    }
  }

  /** {@code java.net.http} in the words of the scenario table. */
  private static final class UnderTest implements Client {
    private static final boolean CLOSABLE = Runtime.version().feature() >= 21;

    private final HttpClient plain;
    private final RetryingHttpClient client;
    private final boolean async;
    // To be had when sendAsync has returned, before which other threads may be at work for it.
    private volatile CompletableFuture<CompletableFuture<HttpResponse<String>>> current;

    UnderTest(HttpClient plain, HttpRetry retry, boolean async) {
      this.plain = plain;
      this.client = RetryingHttpClient.wrap(plain, retry);
      this.async = async;
    }

    @Override
    public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) {
      try {
        HttpRequest request = request(uri, call);
        HttpClient view = client.with(call.options());
        HttpResponse.BodyHandler<String> handler =
            info -> {
              onHead.run();
              return BodyHandlers.ofString().apply(info);
            };
        return answer(async ? sendAsync(view, request, handler) : view.send(request, handler));
      } catch (Exception thrown) {
        return new ScenarioOutcome.Failure(category(thrown), thrown);
      }
    }

    private HttpResponse<String> sendAsync(
        HttpClient view, HttpRequest request, HttpResponse.BodyHandler<String> handler)
        throws Exception {
      current = new CompletableFuture<>();
      CompletableFuture<HttpResponse<String>> future = view.sendAsync(request, handler);
      current.complete(future);
      try {
        return future.get();
      } catch (ExecutionException failed) {
        throw (Exception) failed.getCause();
      }
    }

    private static HttpRequest request(URI uri, HttpCall call) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(uri).method(call.method(), body(call.body()));
      call.headers().forEach(line -> request.header(line.getKey(), line.getValue()));
      return request.build();
    }

    private static BodyPublisher body(HttpCall.Body body) {
      byte[] bytes = body.text().getBytes(StandardCharsets.UTF_8);
      return switch (body.form()) {
        case ABSENT -> BodyPublishers.noBody();
        case REPEATABLE -> BodyPublishers.ofByteArray(bytes);
        case ONE_SHOT, UNKNOWN_LENGTH ->
            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
        case CHANGING -> {
          AtomicInteger passes = new AtomicInteger();
          yield BodyPublishers.ofInputStream(() -> {
            byte[] each = bytes.clone();
            each[0] += (byte) passes.getAndIncrement();
            return new ByteArrayInputStream(each);
          });
        }
      };
    }

    private static ScenarioOutcome answer(HttpResponse<String> response) {
      return new ScenarioOutcome.Answer(
          response.statusCode(),
          response.body(),
          response.headers().map(),
          JdkReports.of(response));
    }

    /**
     * By docs/timeouts-and-cancellation.md, "What the caller gets", and by what the JDK itself
     * throws.
     */
    private static Category category(Exception thrown) {
      Optional<Category> known = Category.ofEveryClient(thrown);
      if (known.isPresent()) {
        return known.get();
      }
      if (thrown.getClass() == HttpTimeoutException.class) {
        return Category.TIMEOUT;
      }
      if (thrown.getClass() == CancellationException.class) {
        return Category.CANCELLED;
      }
      if (thrown.getClass() == InterruptedException.class) {
        return Category.INTERRUPTED;
      }
      if (thrown.getClass() == ConnectException.class) {
        return Category.CONNECT;
      }
      return broken(thrown);
    }

    private static Category broken(Exception thrown) {
      if (!(thrown instanceof IOException)) {
        throw new AssertionError("an exception that the design does not know", thrown);
      }
      String message = String.valueOf(thrown.getMessage());
      if (thrown instanceof ProtocolException
          || message.startsWith("Invalid status line")
          || message.startsWith("fixed content-length")
          || message.startsWith("chunked transfer encoding")) {
        return Category.BROKEN_ANSWER;
      }
      for (Throwable each = thrown; each != null; each = each.getCause()) {
        if (each instanceof SocketException || each instanceof EOFException) {
          return Category.CONNECTION_LOST;
        }
      }
      throw new AssertionError("an exception that the design does not know", thrown);
    }

    @Override
    public void cancel() {
      current.orTimeout(10, TimeUnit.SECONDS).join().cancel(true);
    }

    @Override
    public List<String> headerValues(Object request, String name) {
      return ((HttpRequest) request).headers().allValues(name);
    }

    @Override
    public int plainGet(URI uri) throws Exception {
      return plain
          .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
          .statusCode();
    }

    @Override
    public boolean closeIdle() {
      client.shutdown();
      return CLOSABLE;
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }
}
