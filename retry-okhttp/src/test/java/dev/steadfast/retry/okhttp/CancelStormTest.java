package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls that are cancelled whenever: on real threads, in real time. What happens to a call tells
 * when it is cancelled, and not the time that has passed: by that most would be cancelled before
 * they begin, on any machine. A thread makes its next call when the last one has ended.
 */
class CancelStormTest {
  private static final int THREADS = 16;
  private static final int CALLS = 50 * THREADS;
  private static final int ANSWERED = 4; // from this attempt on there is an answer
  private static final String ATTEMPT = "X-Attempt";

  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();
  private final ExecutorService others = Executors.newFixedThreadPool(2);
  private final List<Plan> plans = new ArrayList<>();
  private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
  private final AtomicInteger paidRetries = new AtomicInteger();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    server.assertNoLeaks();
    server.close();
    // Last: the server may yet come to a request whose call was cancelled.
    others.shutdownNow();
  }

  /** When a call is cancelled. */
  private enum Moment {
    NEVER,
    BEFORE_THE_CALL,
    AT_ONCE,
    REQUEST, // when it has reached the server
    ATTEMPT_ENDED,
    WAIT
  }

  /** What becomes of one call; from its number alone, so the same in each run. */
  private final class Plan {
    private final int number;
    private final Moment moment;
    private final int count; // how often the moment must have come
    private final boolean here; // on the thread that knows of the moment, so certainly in it
    private final AtomicInteger waits = new AtomicInteger();
    private final AtomicInteger callbacks = new AtomicInteger();
    private volatile Call call;
    private volatile DelayReason why; // the last wait
    private volatile RetryReport report;

    Plan(int number) {
      SplittableRandom random = new SplittableRandom(number);
      this.number = number;
      this.moment = List.of(Moment.values()).get(number % Moment.values().length);
      this.count = 1 + random.nextInt(2);
      this.here = random.nextBoolean();
    }

    void reached(Moment reached, int times) {
      if (reached != moment || times < count) {
        return;
      }
      if (here) {
        call.cancel();
      } else {
        others.execute(call::cancel);
      }
    }

    Reply reply(int attempt) {
      int last = moment == Moment.WAIT ? count : count - 1; // must fail
      int choice = new SplittableRandom(10L * number + attempt).nextInt(attempt > last ? 8 : 5);
      return attempt >= ANSWERED
          ? Reply.status(200).body("ok")
          : switch (choice) {
            case 0, 1 -> Reply.status(503).body("busy");
            case 2 -> Reply.closeAfterRequest();
            case 3 -> Reply.stallAfterRequest();
            case 4 -> Reply.stalledBody(200, 10, "half");
            case 5 -> Reply.status(200).body("ok").thenClose();
            default -> Reply.status(200).body("ok");
          };
    }

    /** What this must come to, however the threads run. */
    void check(Entry entry) {
      assertEquals(entry == Entry.ENQUEUE ? 1 : 0, callbacks.get(), "callbacks of " + this);
      boolean cancelled =
          moment == Moment.BEFORE_THE_CALL
              || (here && (moment == Moment.REQUEST || moment == Moment.WAIT));
      if (moment == Moment.NEVER) {
        assertEquals(StopReason.ACCEPTED, report.reason(), toString());
      } else if (cancelled) {
        assertEquals(StopReason.CANCELLED, report.reason(), toString());
      }
    }

    @Override
    public String toString() {
      return "/" + number + " " + moment + " " + count + ": " + report;
    }
  }

  private Plan plan(String path) {
    return plans.get(Integer.parseInt(path.substring(path.lastIndexOf('/') + 1)));
  }

  private HttpRetry real() {
    Duration brief = Duration.ofMillis(10);
    return HttpRetry.builder()
        .policy(
            RetryPolicy.builder()
                .maxAttempts(ANSWERED + 2)
                .backoff(Backoff.fullJitter(Duration.ofMillis(1), Duration.ofMillis(3)))
                .attemptTimeouts(List.of(brief, brief, brief, Duration.ofSeconds(20)))
                .build())
        .budget(books)
        .guard(books)
        .bufferBodiesUpTo(100)
        .oncePerAttempt(ATTEMPT, (operation, number) -> Optional.of(Integer.toString(number)))
        .listener(new Moments())
        .build();
  }

  private final class Moments implements RetryListener {
    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      boolean free = plan(operation.label()).why == DelayReason.STALE_CONNECTION;
      paidRetries.addAndGet(attempt > 1 && !free ? 1 : 0);
    }

    @Override
    public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
      if (attempt.deliveries().orElse(-1) < 0) {
        problems.add(new AssertionError(attempt.toString()));
      }
      plan(operation.label()).reached(Moment.ATTEMPT_ENDED, attempt.number());
    }

    @Override
    public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
      Plan plan = plan(operation.label());
      plan.why = why;
      plan.reached(Moment.WAIT, plan.waits.incrementAndGet());
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      Plan plan = plan(operation.label());
      if (plan.report != null) {
        problems.add(new AssertionError("ended twice: " + plan));
      }
      plan.report = report;
    }
  }

  private static int attempt(Received request) {
    return Integer.parseInt(request.header(ATTEMPT).orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void loseNothing(Entry entry) throws Exception {
    for (int number = 0; number < CALLS; number++) {
      plans.add(new Plan(number));
    }
    server.whenRequest(request -> plan(request.target()).reached(Moment.REQUEST, attempt(request)));
    server.route(request -> plan(request.target()).reply(attempt(request)));
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequestsPerHost(THREADS / 2); // so some are cancelled in the queue
    OkHttpClient.Builder builder = Rig.builder().dispatcher(dispatcher);
    Call.Factory calls = rig.calls(entry, builder, real());

    AtomicInteger next = new AtomicInteger();
    ExecutorService callers = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> all = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      all.add(
          callers.submit(() -> {
            for (int i = next.getAndIncrement(); i < CALLS; i = next.getAndIncrement()) {
              make(plans.get(i), entry, calls);
            }
          }));
    }
    callers.shutdown();
    for (Future<?> each : all) {
      each.get(100, TimeUnit.SECONDS);
    }
    rig.close();

    assertEquals(List.of(), List.copyOf(problems));
    plans.forEach(each -> each.check(entry));
    books.assertBalanced();
    assertEquals(CALLS, books.began.get());
    assertEquals(paidRetries.get(), books.withdrawn.get() - books.refunded.get(), "tokens");
    long inWaits = plans.stream().filter(each -> each.here && each.moment == Moment.WAIT).count();
    assertTrue(books.refunded.get() >= inWaits, books.refunded + " of at least " + inWaits);
  }

  private void make(Plan plan, Entry entry, Call.Factory calls) {
    String url = server.uri("/" + plan.number).toString();
    plan.call = calls.newCall(new Request.Builder().url(url).build());
    if (plan.moment == Moment.BEFORE_THE_CALL) {
      plan.call.cancel();
    }
    try (Response response = entry == Entry.ENQUEUE ? enqueued(plan) : executed(plan)) {
      response.body().string();
    } catch (IOException cancelled) {
      // most likely
    }
  }

  private Response executed(Plan plan) throws IOException {
    if (plan.moment == Moment.AT_ONCE) {
      others.execute(plan.call::cancel);
    }
    return plan.call.execute();
  }

  private static Response enqueued(Plan plan) throws IOException {
    Entry.Answers answers = new Entry.Answers();
    plan.call.enqueue(
        new Callback() {
          @Override
          public void onFailure(Call call, IOException failure) {
            plan.callbacks.incrementAndGet();
            answers.onFailure(call, failure);
          }

          @Override
          public void onResponse(Call call, Response response) {
            plan.callbacks.incrementAndGet();
            answers.onResponse(call, response);
          }
        });
    plan.reached(Moment.AT_ONCE, plan.count);
    return answers.get();
  }
}
