package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.Barrier;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The calling thread is interrupted while a statement is on its way. */
class InterruptTest {
  private static final long PATIENCE_SECONDS = 20;

  @AutoClose private static TestDatabase database;

  private final Barrier barrier = new Barrier();
  private ScriptedServer server;
  private LossySource source;
  private RetryingHttpClient client;

  @BeforeAll
  static void startDatabase() throws IOException {
    database = TestDatabase.postgres();
  }

  @BeforeEach
  void start() throws Exception {
    database.empty();
    server = ScriptedServer.start();
    source = new LossySource(database.source());
    client = DyingClient.client(source.source(), true).with(DyingClient.options());
  }

  @AfterEach
  void stop() {
    barrier.open();
    server.close();
  }

  private HttpResponse<String> charge() throws IOException, InterruptedException {
    return client.send(DyingClient.charge(server.uri("/pay")), BodyHandlers.ofString());
  }

  /** Calls on a thread that is interrupted when the statement is there; returns what it throws. */
  private Throwable interrupted() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread caller =
        new Thread(() -> {
          try {
            thrown.completeExceptionally(new AssertionError(charge().toString()));
          } catch (Throwable failure) {
            thrown.complete(failure);
          }
        });
    caller.start();
    barrier.awaitReached();
    caller.interrupt();
    return thrown.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private void awaitState(String state) throws Exception {
    await(() -> database.column("count(*)").equals("1") && database.state().equals(state));
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < patience);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"insert into steadfast_operation", "update steadfast_operation"})
  void aClaimThatNobodyWaitsForIsGivenBack(String statement) throws Exception {
    source.before(statement, barrier::happen);
    Throwable thrown = interrupted();
    assertInstanceOf(InterruptedException.class, thrown);
    assertEquals(0, server.requests().size());
    barrier.open();
    awaitState("closed");

    server.enqueue(Reply.status(201));
    assertEquals(201, charge().statusCode());
    assertEquals("succeeded", database.state());
    assertEquals(1, server.requests().size());
    List<String> threads = source.threads.stream().distinct().toList();
    assertEquals(List.of("steadfast-journal"), threads);
  }

  /** Giving it back fails, as if the process had died. */
  @Test
  void aClaimThatCannotBeGivenBackEndsByItsLease() throws Exception {
    source.before("insert into steadfast_operation", barrier::happen);
    assertInstanceOf(InterruptedException.class, interrupted());
    source.before(
        "update steadfast_operation",
        () -> {
          throw new IllegalStateException("the database is gone");
        });
    barrier.open();
    await(source::isOver);
    assertEquals("in_flight", database.state());
    database.endLeases();
    server.enqueue(Reply.status(201));
    assertEquals(201, charge().statusCode());
    assertEquals(1, server.requests().size());
  }

  @Test
  void theEndIsNotedAfterTheCallerHasGone() throws Exception {
    server.enqueue(Reply.stallAfterRequest());
    CountDownLatch prepared = new CountDownLatch(1);
    server.whenRequest(received -> {
      source.before("update steadfast_operation", barrier::happen);
      prepared.countDown();
    });
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread caller =
        new Thread(() -> {
          try {
            charge();
          } catch (Throwable failure) {
            thrown.complete(failure);
          }
        });
    caller.start();
    assertTrue(prepared.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    caller.interrupt();
    barrier.awaitReached();
    assertInstanceOf(InterruptedException.class, thrown.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    assertEquals("in_flight", database.state());
    barrier.open();
    awaitState("ready");
    assertFalse(source.threads.contains(caller.getName()));
  }
}
