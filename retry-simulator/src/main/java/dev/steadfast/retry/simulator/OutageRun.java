package dev.steadfast.retry.simulator;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.simulator.HttpViews.Answer;
import dev.steadfast.retry.simulator.HttpViews.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of the outage model: the library's own loop drives each operation. */
final class OutageRun {
  // A call that is still under way this long after the last arrival counts as failed.
  private static final long DRAIN_NANOS = 60 * Durations.SECOND;

  private final EventQueue time = new EventQueue();
  private final OutageSpec spec;
  private final Draws arrivals;
  private final Draws kinds;
  private final Draws faults;
  private final Answer busy;
  private final FifoServer server;
  private final FifoServer slowEndpoint; // the same one, unless there are two
  private final OutageTrace trace;
  private final List<Protection.Client> clients = new ArrayList<>();
  private final Progress progress;
  private int underWay;
  private long attempts;

  private OutageRun(OutageSpec spec, Protection protection, Draws draws, Progress progress) {
    this.spec = spec;
    this.progress = progress;
    this.arrivals = draws.split();
    this.server = new FifoServer(time, draws.split(), spec.build());
    this.trace = new OutageTrace(spec);
    this.busy = Answer.unavailable(spec.server().refusal().retryAfterSeconds());
    Draws jitter = draws.split();
    for (int i = 0; i < spec.load().clients(); i++) {
      clients.add(protection.client(time, jitter));
    }
    this.kinds = draws.split();
    this.faults = draws.split();
    this.slowEndpoint =
        spec.twoEndpoints() ? new FifoServer(time, draws.split(), spec.slowEndpoint()) : server;
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
    boolean unsafe = kinds.uniform() < spec.load().unkeyedPosts();
    boolean slow = spec.twoEndpoints() && faults.uniform() < 0.5;
    new Operation(client, slow ? Request.SLOW : unsafe ? Request.POST : Request.GET).begin();
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

  private boolean failsAtOnce(long now) {
    return spec.failing(now) && faults.uniform() < spec.trigger().share();
  }

  /** One logical call. */
  private final class Operation implements SimulatedCall {
    private final HttpOperation operation;
    private final Evidence.Safety safety;
    private final FifoServer endpoint;
    private final long beganNanos = time.nowNanos();

    Operation(Protection.Client client, Request request) {
      this.operation = client.retry().operation(request, RetryOptions.none());
      this.safety = operation.safety(request.method(), name -> List.of());
      this.endpoint = request.equals(Request.SLOW) ? slowEndpoint : server;
    }

    @Override
    public HttpOperation operation() {
      return operation;
    }

    @Override
    public Evidence.Safety safety() {
      return safety;
    }

    @Override
    public void begin() {
      underWay++;
      trace.count(trace.arrived, beganNanos);
      SimulatedCall.super.begin();
    }

    @Override
    public void ended(@Nullable Answer answer, @Nullable Throwable failure) {
      underWay--;
      if (Answer.OK.equals(answer)) {
        trace.count(trace.served, beganNanos);
        trace.count(trace.good, time.nowNanos());
      }
    }

    @Override
    public void start(Attempt<Answer> attempt) {
      long now = time.nowNanos();
      if (!attempt.begin(operation)) {
        trace.count(trace.held, now);
        return;
      }
      trace.count(attempt.number() == 1 ? trace.firstTries : trace.retries, now);
      if (++attempts > spec.mostAttempts()) {
        attempt.complete(Answer.OK, null); // ends what would not end
        return;
      }
      if (failsAtOnce(now)) {
        attempt.complete(busy, null);
        return;
      }
      FifoServer.Job job = new FifoServer.Job(() -> attempt.complete(Answer.OK, null));
      attempt.onCancel(job::abandon);
      if (!endpoint.offer(job)) {
        attempt.complete(busy, null);
      }
    }
  }
}
