package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A subscriber that throws is told of it, though the body is held until its beginning is known. */
final class HeldBodyThrowTest {
  private final IllegalStateException mine = new IllegalStateException("parser broke");
  private final CompletableFuture<Throwable> told = new CompletableFuture<>();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itIsTold(boolean wrapped) throws Exception {
    try (ScriptedServer server = ScriptedServer.start()) {
      server.enqueue(
          Reply.status(200)
              .header("Content-Type", "text/event-stream")
              .body("data: {\"n\":1}\n\n".repeat(5_000))
              .chunked());
      HttpClient plain = Bench.plain().build();
      HttpRetry retry =
          HttpRetry.builder()
              .classifier(StandardRules.forAiApis().refusedBy(200, "overloaded_error").build())
              .build();
      HttpClient client = wrapped ? RetryingHttpClient.wrap(plain, retry) : plain;
      HttpRequest request = HttpRequest.newBuilder(server.uri("/")).build();
      CompletableFuture<?> answer = client.sendAsync(request, info -> new Throwing());
      ExecutionException failed =
          assertThrows(ExecutionException.class, () -> answer.get(60, TimeUnit.SECONDS));
      assertSame(mine, failed.getCause());
      assertSame(mine, told.get(60, TimeUnit.SECONDS));
      assertEquals(1, server.requests().size());
    }
  }

  private final class Throwing implements BodySubscriber<String> {
    @Override
    public CompletionStage<String> getBody() {
      return new CompletableFuture<>();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      throw mine;
    }

    @Override
    public void onError(Throwable failure) {
      told.complete(failure);
    }

    @Override
    public void onComplete() {}
  }
}
