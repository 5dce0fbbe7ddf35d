package dev.steadfast.retry.examples.outage;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One client with one policy, and a server of its own. */
final class OutageRun implements AutoCloseable {
  /** The clients that are compared. */
  enum Client {
    OKHTTP,
    JDK;

    OutageClient connect(URI address, HttpRetry retry) {
      return this == OKHTTP
          ? new OkHttpOutageClient(address, retry)
          : new JdkOutageClient(address, retry);
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Client name;
  private final Policy policy;
  private final World.Kind kind;
  private final Tally tally = new Tally(Scenario.SECONDS);
  private final AtomicInteger underWay = new AtomicInteger();
  private final QueueServer server;
  private final OutageClient client;

  OutageRun(Client name, Policy policy, World world, long origin) throws IOException {
    this.name = name;
    this.policy = policy;
    this.kind = world.kind();
    this.server = new QueueServer(world, tally, origin);
    this.client = name.connect(server.address(), policy.retry(new Refusals(tally)));
  }

  /** Begins an operation that was due at a time; later ones do not wait for it. */
  void begin(long arrival) {
    tally.began(arrival);
    underWay.incrementAndGet();
    CompletableFuture<?> ended = client.call().thenAccept(succeeded -> count(arrival, succeeded));
    ended.whenComplete((nothing, failure) -> underWay.decrementAndGet());
  }

  private void count(long arrival, boolean succeeded) {
    if (succeeded) {
      tally.succeeded(arrival);
    }
  }

  int underWay() {
    return underWay.get();
  }

  Client client() {
    return name;
  }

  Policy policy() {
    return policy;
  }

  World.Kind kind() {
    return kind;
  }

  /** Successes in the outage and just after it, as a share of the operations that began then. */
  double goodput() {
    return tally.goodput(Scenario.STALL_BEGINS, Scenario.STALL_ENDS + Scenario.AFTERMATH);
  }

  Tally tally() {
    return tally;
  }

  /** Seconds from the end of the stall. */
  OptionalInt recovery() {
    return tally.recovery(Scenario.STALL_ENDS);
  }

  /** Attempts at the server in the busiest second, per first try of an average second. */
  double peakLoad() {
    return (double) tally.peak() / Scenario.LOAD;
  }

  /** Counts the operations that a guard ended. */
  private record Refusals(Tally tally) implements RetryListener {
    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      if (report.reason() == StopReason.GUARD_REFUSED) {
        tally.refused();
      }
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
