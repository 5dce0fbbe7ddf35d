package dev.steadfast.retry.tck.example;

import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Client;
import dev.steadfast.retry.tck.EntryPoint;
import dev.steadfast.retry.tck.HttpCall;
import dev.steadfast.retry.tck.ScenarioOutcome;
import dev.steadfast.retry.tck.ScenarioOutcome.Category;
import dev.steadfast.retry.tck.Trait;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The example in the words of the table: a blocking call, and one that holds no thread. */
public record ExampleEntryPoint(String name, Set<Trait> traits) implements EntryPoint {

  /** Calls that wait on the thread of the caller. */
  public static EntryPoint blocking() {
    return new ExampleEntryPoint("reference blocking", TRAITS);
  }

  private static final Set<Trait> TRAITS =
      EnumSet.of(
          Trait.BODY_AFTER_CALL,
          Trait.TRUSTS_BODIES,
          Trait.UNINTERRUPTIBLE_READS,
          Trait.GIVES_RULES_NO_BODY);

  /** Calls with a callback. */
  public static EntryPoint async() {
    Set<Trait> traits = EnumSet.of(Trait.ASYNC);
    traits.addAll(TRAITS);
    return new ExampleEntryPoint("reference asynchronous", traits);
  }

  @Override
  public Client open(HttpRetry retry) {
    return new UnderTest(
        retry, traits.contains(Trait.ASYNC) ? Executors.newCachedThreadPool() : null);
  }

  private static final class UnderTest implements Client {
    private final HttpRetry retry;
    private final PlainClient client = new PlainClient();
    private final ExecutorService executor; // null: blocking
    private volatile RetryLoop<ExampleCall.Answer> loop;

    UnderTest(HttpRetry retry, ExecutorService executor) {
      this.retry = retry;
      this.executor = executor;
    }

    @Override
    public ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws Exception {
      try {
        ExampleCall.Wires wires = new ExampleCall.Wires(client, executor);
        ExampleCall made = new ExampleCall(request(uri, call), wires, retry, call.options());
        loop = made.loop();
        ExampleCall.Answer answer =
            executor == null ? loop.run(made.boundNanos()) : await(made.boundNanos());
        onHead.run();
        return read(answer);
      } catch (Throwable thrown) {
        return new ScenarioOutcome.Failure(category(thrown), thrown);
      }
    }

    private static ScenarioOutcome read(ExampleCall.Answer answer) {
      try {
        String body =
            answer.body() == null ? answer.response().read(Integer.MAX_VALUE) : answer.body();
        return new ScenarioOutcome.Answer(
            answer.status(), body, answer.headerMap(), answer.report());
      } catch (IOException broken) {
        return new ScenarioOutcome.Failure(Category.BROKEN_READING, broken);
      }
    }

    private static PlainConnection.Request request(URI uri, HttpCall call) {
      PlainConnection.Framing framing =
          switch (call.body().form()) {
            case ABSENT -> PlainConnection.Framing.NO_BODY;
            case REPEATABLE -> PlainConnection.Framing.LENGTH;
            default -> PlainConnection.Framing.CHUNKED;
          };
      return new PlainConnection.Request(
          call.method(),
          uri,
          call.headers(),
          call.body().text(),
          framing,
          call.body().form() == HttpCall.Form.ONE_SHOT);
    }

    private ExampleCall.Answer await(long boundNanos) throws Throwable {
      try {
        return loop.start(boundNanos, answer -> answer, failure -> failure).get();
      } catch (ExecutionException failed) {
        throw failed.getCause();
      }
    }

    private static Category category(Throwable thrown) {
      return Category.ofEveryClient(thrown).orElseGet(() -> ownCategory(thrown));
    }

    private static Category ownCategory(Throwable thrown) {
      if (thrown instanceof InterruptedIOException) {
        return Thread.interrupted() ? Category.INTERRUPTED : Category.TIMEOUT;
      }
      if (thrown instanceof ConnectException) {
        return Category.CONNECT;
      }
      if (thrown instanceof ExampleCall.BrokenBodyException
          || thrown instanceof ProtocolException) {
        return Category.BROKEN_ANSWER;
      }
      if (thrown instanceof IOException) {
        boolean cancelled = "Canceled".equals(thrown.getMessage());
        return cancelled ? Category.CANCELLED : Category.CONNECTION_LOST;
      }
      throw new AssertionError("unexpected", thrown);
    }

    @Override
    public void cancel() {
      loop.cancel();
    }

    @Override
    public List<String> headerValues(Object request, String name) {
      return ((PlainConnection.Request) request).values(name);
    }

    @Override
    public int plainGet(URI uri) throws Exception {
      PlainClient.Response response = client.send(PlainConnection.Request.get(uri), unused -> {});
      response.read(Integer.MAX_VALUE);
      return response.head().status();
    }

    @Override
    public boolean closeIdle() {
      client.closeIdle();
      if (executor != null) {
        executor.shutdown();
      }
      return true;
    }

    @Override
    public void close() {
      client.closeAll();
      closeIdle();
    }
  }
}
