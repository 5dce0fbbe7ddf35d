package dev.steadfast.retry.simulator;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.simulator.HttpViews.Answer;
import dev.steadfast.retry.simulator.HttpViews.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of clients within a quota: real operations of the library, with real headers. */
final class QuotaRun {
  private final EventQueue time = new EventQueue();
  private final QuotaSpec spec;
  private final Draws draws;
  private final QuotaServer server;
  private final List<Double> seconds = new ArrayList<>(); // of calls that succeeded
  private long sent;
  private long refused;
  private long failed;

  /**
   * The result of a run, without its first window.
   *
   * @param sent attempts
   * @param refused those that the server refused
   * @param failed calls that failed
   * @param used what it accepted, as a share of the quota
   * @param slowest how long all but one in a hundred of the calls that succeeded took at most
   */
  record Result(long sent, long refused, long failed, double used, double slowest) {}

  private QuotaRun(QuotaSpec spec, Draws draws) {
    this.spec = spec;
    this.draws = draws.split();
    long phase = (long) (this.draws.uniform() * spec.server().windowNanos());
    this.server = new QuotaServer(spec.server(), phase);
  }

  static Result run(QuotaSpec spec, QuotaSpec.Rule rule, Draws draws) {
    return new QuotaRun(spec, draws).run(rule);
  }

  private Result run(QuotaSpec.Rule rule) {
    for (int i = 0; i < spec.clients(); i++) {
      HttpRetry.Builder retry =
          HttpRetry.builder()
              .policy(spec.policy())
              .environment(time.environment(draws.split().generator()));
      QuotaPacing pacing = rule.pacing(spec);
      HttpRetry client = pacing == null ? retry.build() : retry.guard(pacing).build();
      for (int thread = 0; thread < spec.workers(); thread++) {
        pause(client);
      }
    }
    time.runUntil(spec.endNanos());
    double quota = (double) spec.server().requests() * QuotaSpec.WINDOWS;
    Collections.sort(seconds);
    double slowest = seconds.isEmpty() ? 0 : seconds.get((int) (seconds.size() * 0.99));
    return new Result(sent, refused, failed, (sent - refused) / quota, slowest);
  }

  private void pause(HttpRetry client) {
    time.schedule(after(QuotaSpec.PAUSE_NANOS), () -> new Call(client).begin());
  }

  private long after(double meanNanos) {
    return (long) draws.exponential(meanNanos);
  }

  private boolean counts() {
    return time.nowNanos() >= spec.server().windowNanos();
  }

  /** One call of a thread, after which it makes the next one. */
  private final class Call implements SimulatedCall {
    private final HttpRetry client;
    private final HttpOperation operation;
    private final long beganNanos = time.nowNanos();

    Call(HttpRetry client) {
      this.client = client;
      this.operation = client.operation(Request.GET, RetryOptions.none());
    }

    @Override
    public HttpOperation operation() {
      return operation;
    }

    @Override
    public void ended(@Nullable Answer answer, @Nullable Throwable failure) {
      boolean succeeded = answer != null && answer.status() == 200;
      if (counts() && succeeded) {
        seconds.add(Durations.seconds(time.nowNanos() - beganNanos));
      }
      failed += counts() && !succeeded ? 1 : 0;
      pause(client);
    }

    @Override
    public void start(Attempt<Answer> attempt) {
      if (attempt.begin(operation)) {
        time.schedule(after(QuotaSpec.LATENCY_NANOS / 2), () -> arrive(attempt));
      }
    }

    private void arrive(Attempt<Answer> attempt) {
      Answer answer = server.answer(time.nowNanos());
      sent += counts() ? 1 : 0;
      refused += counts() && answer.status() != 200 ? 1 : 0;
      time.schedule(after(QuotaSpec.LATENCY_NANOS / 2), () -> attempt.complete(answer, null));
    }
  }
}
