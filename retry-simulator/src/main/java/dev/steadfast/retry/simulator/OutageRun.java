package dev.steadfast.retry.simulator;

import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryTransport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of the outage model: the library's own loop drives each operation. */
final class OutageRun {
  private static final Outcome BROKEN = new Outcome(Verdict.permanent(), Outcomes.LOST);
  // What is still under way this long after the last arrival counts as failed.
  private static final long DRAIN_NANOS = 60 * Durations.SECOND;

  private final EventQueue time = new EventQueue();
  private final OutageSpec spec;
  private final Draws arrivals;
  private final FifoServer server;
  private final OutageTrace trace;
  private final List<Protection.Client> clients = new ArrayList<>();
  private final Progress progress;
  private int underWay;
  private long attempts;

  private enum Answer {
    OK,
    ERROR
  }

  private OutageRun(OutageSpec spec, Protection protection, Draws draws, Progress progress) {
    this.spec = spec;
    this.progress = progress;
    this.arrivals = draws.split();
    this.server = new FifoServer(time, draws.split(), spec.build());
    this.trace = new OutageTrace(spec);
    Draws jitter = draws.split();
    for (int i = 0; i < spec.load().clients(); i++) {
      clients.add(protection.client(time, jitter, "client-" + i));
    }
  }

  static OutageTrace run(OutageSpec spec, Protection protection, Draws draws, Progress progress) {
    return new OutageRun(spec, protection, draws, progress).run();
  }

  private OutageTrace run() {
    scheduleArrival();
    for (int second = 0; second < spec.seconds(); second++) {
      int at = second;
      time.schedule(second * Durations.SECOND, () -> lookAtClients(at));
    }
    time.runUntil(spec.horizonNanos());
    long end = spec.horizonNanos() + DRAIN_NANOS;
    while (underWay > 0 && time.nowNanos() < end) {
      time.runUntil(time.nowNanos() + Durations.SECOND);
    }
    if (attempts > spec.mostAttempts()) {
      throw BadInputException.of(
          "policy", "more than " + spec.mostAttempts() + " attempts", "fewer, or longer waits");
    }
    return trace;
  }

  private void scheduleArrival() {
    long gap = (long) arrivals.exponential(Durations.SECOND / spec.arrivalsPerSecond());
    if (time.nowNanos() + gap < spec.horizonNanos()) {
      time.schedule(gap, this::arrive);
    }
  }

  private void arrive() {
    Protection.Client client = clients.get(arrivals.below(clients.size()));
    new Operation(client).begin();
    scheduleArrival();
  }

  private void lookAtClients(int second) {
    int funded = 0;
    int open = 0;
    for (Protection.Client client : clients) {
      funded += client.funded(time.nowNanos()) ? 1 : 0;
      open += client.open(time.nowNanos()) ? 1 : 0;
    }
    trace.funded[second] = (double) funded / clients.size();
    trace.open[second] = (double) open / clients.size();
    progress.step();
  }

  /** One logical call. */
  private final class Operation implements RetryTransport<Answer> {
    private final Protection.Client client;
    private final long beganNanos = time.nowNanos();

    Operation(Protection.Client client) {
      this.client = client;
    }

    void begin() {
      underWay++;
      trace.count(trace.arrived, beganNanos);
      new RetryLoop<>(client.plan(), client.info(), this).start(Long.MAX_VALUE, this::end);
    }

    private void end(@Nullable Answer answer, @Nullable Throwable failure) {
      underWay--;
      if (answer == Answer.OK) {
        trace.count(trace.served, beganNanos);
        trace.count(trace.good, time.nowNanos());
      }
    }

    @Override
    public void start(Attempt<Answer> attempt) {
      long now = time.nowNanos();
      if (!attempt.begin(client)) {
        trace.count(trace.held, now);
        return;
      }
      trace.count(attempt.number() == 1 ? trace.firstTries : trace.retries, now);
      if (++attempts > spec.mostAttempts()) {
        attempt.complete(Answer.OK, null); // ends what would not end
        return;
      }
      if (spec.failsAtOnce(now)) {
        attempt.complete(Answer.ERROR, null);
        return;
      }
      FifoServer.Job job = new FifoServer.Job(() -> attempt.complete(Answer.OK, null));
      attempt.onCancel(job::abandon);
      if (!server.offer(job)) {
        attempt.complete(Answer.ERROR, null);
      }
    }

    @Override
    public Outcome outcome(Answer answer) {
      return answer == Answer.OK ? Outcomes.ACCEPTED : Outcomes.UNAVAILABLE;
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return failure instanceof NoAnswerException ? Outcomes.TIMEOUT : BROKEN;
    }

    @Override
    public Evidence evidence() {
      return Outcomes.LOST;
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return new NoAnswerException();
    }
  }
}
