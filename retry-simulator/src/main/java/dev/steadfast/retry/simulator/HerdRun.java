package dev.steadfast.retry.simulator;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.simulator.HttpViews.Answer;
import dev.steadfast.retry.simulator.HttpViews.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One run of the herd: real operations of the library, with real headers, on virtual time. */
final class HerdRun {
  private static final long BIN_NANOS = 100_000_000;
  private static final long SLACK = 1_000_000;

  private final EventQueue time = new EventQueue();
  private final HerdSpec spec;
  private final Draws draws;
  private final FifoServer server;
  private final HttpRetry retry;
  private final Answer ok = Answer.OK;
  private final Answer busy;
  private final List<Bin> arrivals = new ArrayList<>();
  private long calls;
  private long failed;
  private long lastNanos;

  /**
   * The result of a run.
   *
   * @param callsPerClient calls that reached the server, per client
   * @param peakPerSecond the busiest tenth of a second after the first calls, as a rate
   * @param doneNanos when the last client was served
   * @param failed clients that gave up
   * @param arrivals calls by tenths of a second, without those that had none
   */
  record Result(
      double callsPerClient,
      double peakPerSecond,
      long doneNanos,
      long failed,
      List<Bin> arrivals) {}

  /** The calls that arrived in a tenth of a second. */
  record Bin(long tenth, int calls) {}

  private HerdRun(HerdSpec spec, HerdRule rule, Draws draws) {
    this.spec = spec;
    this.draws = draws.split();
    this.server = new FifoServer(time, draws.split(), spec.build());
    this.retry = rule.retry(time, draws.split());
    this.busy = busy(rule);
  }

  private Answer busy(HerdRule rule) {
    int seconds = spec.serverDelaySeconds();
    return rule.exact()
        ? new Answer(503, Map.of("grpc-retry-pushback-ms", List.of(seconds + "000")))
        : Answer.unavailable(seconds);
  }

  static Result run(HerdSpec spec, HerdRule rule, Draws draws) {
    return new HerdRun(spec, rule, draws).run();
  }

  private Result run() {
    for (int i = 0; i < spec.clients(); i++) {
      long at = (long) (draws.uniform() * spec.arriveNanos());
      time.schedule(at, () -> new Client().begin());
    }
    time.runAll();
    if (calls > spec.mostCalls() * 10 + SLACK) {
      throw BadInputException.of(
          "policy", "more than " + calls + " calls", "fewer, or longer waits");
    }
    double clients = spec.clients();
    return new Result(calls / clients, peak(), lastNanos, failed, arrivals);
  }

  private double peak() {
    long first = (spec.arriveNanos() + 2 * spec.hopNanos()) / BIN_NANOS + 1;
    return arrivals.stream()
            .filter(each -> each.tenth() >= first)
            .mapToInt(Bin::calls)
            .max()
            .orElse(0)
        * 10.0;
  }

  private void countArrival() {
    calls++;
    long tenth = time.nowNanos() / BIN_NANOS;
    int last = arrivals.size() - 1;
    if (last >= 0 && arrivals.get(last).tenth() == tenth) {
      arrivals.set(last, new Bin(tenth, arrivals.get(last).calls() + 1));
    } else {
      arrivals.add(new Bin(tenth, 1));
    }
  }

  /** One client with one call to make. */
  private final class Client implements SimulatedCall {
    private final HttpOperation operation = retry.operation(Request.GET, RetryOptions.none());

    @Override
    public HttpOperation operation() {
      return operation;
    }

    @Override
    public void ended(@Nullable Answer answer, @Nullable Throwable failure) {
      lastNanos = Math.max(lastNanos, time.nowNanos());
      failed += answer == null || answer.status() != 200 ? 1 : 0;
    }

    @Override
    public void start(Attempt<Answer> attempt) {
      if (!attempt.begin(operation)) {
        return;
      }
      if (spec.hopNanos() == 0) {
        arrive(attempt);
        return;
      }
      double hop = spec.hopNanos() * (1 + draws.gaussian() / 5);
      time.schedule((long) Math.abs(hop), () -> arrive(attempt));
    }

    private void arrive(Attempt<Answer> attempt) {
      countArrival();
      boolean first = attempt.number() == 1;
      if (calls > spec.mostCalls() * 10 + SLACK) {
        attempt.complete(ok, null); // ends what would not end
        return;
      }
      boolean closed = spec.arriveNanos() == 0 ? first : time.nowNanos() <= spec.arriveNanos();
      FifoServer.Job job = new FifoServer.Job(() -> attempt.complete(ok, null));
      attempt.onCancel(job::abandon);
      if (closed || !server.offer(job)) {
        attempt.complete(busy, null);
      }
    }
  }
}
