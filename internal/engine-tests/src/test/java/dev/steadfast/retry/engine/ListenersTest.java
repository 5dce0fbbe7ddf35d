package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Listeners are called in order, and what they throw changes nothing. */
class ListenersTest {
  private static final RetryPolicy AT_ONCE = RetryPolicy.builder().backoff(Backoff.none()).build();

  /** Records its events. */
  private static final class Log implements RetryListener {
    private final String name;
    private final List<String> events;

    Log(String name, List<String> events) {
      this.name = name;
      this.events = events;
    }

    @Override
    public void operationStarted(OperationInfo operation) {
      events.add(name + " started " + operation);
    }

    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      events.add(name + " attempt " + attempt);
    }

    @Override
    public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
      events.add(name + " " + attempt.number() + " ended " + attempt.outcome());
    }

    @Override
    public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
      events.add(name + " waits " + delay + " " + why);
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      events.add(name + " ended " + report.reason());
    }
  }

  /** Throws, in each event, what it was given. */
  private record Thrower(Throwable thrown) implements RetryListener {
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
      @SuppressWarnings("unchecked")
      T unchecked = (T) thrown;
      throw unchecked;
    }

    @Override
    public void operationStarted(OperationInfo operation) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public AutoCloseable enterAttempt(OperationInfo operation, int attempt)
        throws RuntimeException {
      if (attempt == 1) {
        Thrower.<RuntimeException>sneak(thrown);
      }
      return () -> Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      Thrower.<RuntimeException>sneak(thrown);
    }
  }

  @Test
  void eachIsToldEachEvent_inTheOrderOfRegistration() throws Exception {
    List<String> events = new ArrayList<>();
    Retrier retrier =
        Retrier.builder()
            .policy(AT_ONCE)
            .name("db")
            .listener(new Log("a", events))
            .listener(new Log("b", events))
            .build();
    AtomicInteger calls = new AtomicInteger();
    retrier.call(() -> failing(calls, 1));
    List<String> expected = new ArrayList<>();
    for (String event :
        List.of(
            "started db",
            "attempt 1",
            "1 ended IOException",
            "waits PT0S backoff",
            "attempt 2",
            "2 ended accepted",
            "ended accepted")) {
      expected.add("a " + event);
      expected.add("b " + event);
    }
    assertEquals(expected, events);
  }

  @Test
  void oneThatIsAddedTwiceIsToldOnce() throws Exception {
    List<String> events = new ArrayList<>();
    Log log = new Log("a", events);
    Retrier.builder().name("db").listener(log).listener(log).build().call(() -> "done");
    assertEquals(
        List.of("a started db", "a attempt 1", "a 1 ended accepted", "a ended accepted"), events);
  }

  private static int failing(AtomicInteger calls, int failures) throws IOException {
    int call = calls.incrementAndGet();
    if (call <= failures) {
      throw new IOException("no. " + call);
    }
    return call;
  }

  static Stream<Throwable> whatACarelessListenerThrows() {
    return Stream.of(
        new IllegalStateException("listener"),
        new IOException("listener"),
        new InterruptedException("listener"),
        new AssertionError("listener"),
        new StackOverflowError("listener"),
        new Throwable("listener"));
  }

  @ParameterizedTest
  @MethodSource("whatACarelessListenerThrows")
  void whatAListenerThrowsChangesNothing(Throwable thrown) throws Exception {
    List<String> events = new ArrayList<>();
    Retrier retrier =
        Retrier.builder()
            .policy(AT_ONCE)
            .listener(new Thrower(thrown))
            .listener(new Log("after", events))
            .build();
    AtomicInteger calls = new AtomicInteger();
    assertEquals(3, retrier.call(() -> failing(calls, 2)));
    assertEquals(
        List.of(
            "after started work",
            "after attempt 1",
            "after 1 ended IOException",
            "after waits PT0S backoff",
            "after attempt 2",
            "after 2 ended IOException",
            "after waits PT0S backoff",
            "after attempt 3",
            "after 3 ended accepted",
            "after ended accepted"),
        events);

    AtomicInteger moreCalls = new AtomicInteger();
    Exception last =
        assertThrows(IOException.class, () -> retrier.call(() -> failing(moreCalls, 9)));
    assertEquals("no. 3", last.getMessage());
    assertEquals(3, RetryReport.of(last).orElseThrow().attempts());
  }

  @Test
  void theRequestIsTheOperation_forWorkThatIsNotHttp() throws Exception {
    List<Object> seen = new ArrayList<>();
    Retrier retrier =
        Retrier.builder()
            .listener(
                new RetryListener() {
                  @Override
                  public void operationStarted(OperationInfo operation) {
                    seen.add(operation);
                  }

                  @Override
                  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
                    seen.add(operation);
                    seen.add(request);
                  }
                })
            .build();
    assertEquals("x", retrier.call(() -> "x"));
    assertEquals(3, seen.size());
    assertSame(seen.get(0), seen.get(1));
    assertSame(seen.get(0), seen.get(2));
  }

  /** Enters attempts. */
  private record Entering(String name, List<String> events) implements RetryListener {
    @Override
    public AutoCloseable enterAttempt(OperationInfo operation, int attempt) {
      events.add(name + " enters " + attempt);
      return () -> events.add(name + " leaves " + attempt);
    }
  }

  @Test
  void eachEntersEachAttempt_andTheLastToEnterLeavesFirst() throws Exception {
    List<String> events = new ArrayList<>();
    Retrier retrier =
        Retrier.builder()
            .policy(AT_ONCE)
            .listener(new Entering("a", events))
            .listener(new Log("b", events))
            .listener(new Entering("c", events))
            .build();
    AtomicInteger calls = new AtomicInteger();
    retrier.call(() -> {
      events.add("work");
      return failing(calls, 1);
    });
    events.removeIf(event -> event.startsWith("b ") && !event.startsWith("b attempt"));
    List<String> expected = new ArrayList<>();
    for (int attempt = 1; attempt <= 2; attempt++) {
      expected.add("a enters " + attempt);
      expected.add("c enters " + attempt);
      expected.add("b attempt " + attempt);
      expected.add("work");
      expected.add("c leaves " + attempt);
      expected.add("a leaves " + attempt);
    }
    assertEquals(expected, events);
  }

  @Test
  void anAttemptIsEnteredOnTheThreadThatMakesIt() throws Exception {
    ThreadLocal<Integer> here = new ThreadLocal<>();
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    RetryListener binding =
        new RetryListener() {
          @Override
          public AutoCloseable enterAttempt(OperationInfo operation, int attempt) {
            here.set(attempt);
            return here::remove;
          }
        };
    Retrier retrier = Retrier.builder().policy(AT_ONCE).listener(binding).build();
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<Integer> result =
        retrier.callAsync(() -> {
          seen.add(here.get());
          return CompletableFuture.supplyAsync(() -> {
            try {
              return failing(calls, 2);
            } catch (IOException failed) {
              throw new UncheckedIOException(failed);
            }
          });
        });
    assertEquals(3, result.get());
    assertEquals(List.of(1, 2, 3), seen);
    assertNull(here.get());
  }

  @Test
  void aListenerNeedNotCareForAnyEvent() throws Exception {
    RetryListener deaf = new RetryListener() {};
    AtomicInteger calls = new AtomicInteger();
    Retrier retrier = Retrier.builder().policy(AT_ONCE).listener(deaf).build();
    assertEquals(2, retrier.call(() -> failing(calls, 1)));
  }

  @Test
  void withoutListeners_nobodyIsTold() {
    assertFalse(new Listeners(List.of()).any());
    assertTrue(new Listeners(List.of(new RetryListener() {})).any());
  }
}
