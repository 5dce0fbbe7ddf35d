package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RetrierGuideTest {

  @Test
  void call_retriesWhatThePredicateNames() throws Exception {
    Iterator<Object> outcomes = List.<Object>of(new IOException("lost"), "order 7").iterator();
    assertEquals(
        "order 7",
        RetrierGuide.call(() -> {
          Object next = outcomes.next();
          if (next instanceof IOException failure) {
            throw failure;
          }
          return (String) next;
        }));
  }

  @Test
  void callAsync_retries() throws Exception {
    FakeTime time = new FakeTime();
    Retrier retrier =
        Retrier.builder().environment(time.environment()).listener(time.skipWaits()).build();
    Iterator<CompletableFuture<String>> outcomes =
        List.of(
                CompletableFuture.<String>failedFuture(new IOException("lost")),
                CompletableFuture.completedFuture("order 7"))
            .iterator();
    assertEquals(
        "order 7", RetrierGuide.callAsync(retrier, outcomes::next).get(10, TimeUnit.SECONDS));
  }
}
