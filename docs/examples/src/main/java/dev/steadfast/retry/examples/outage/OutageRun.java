package dev.steadfast.retry.examples.outage;

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
  private final Tally tally = new Tally(Scenario.SECONDS);
  private final AtomicInteger underWay = new AtomicInteger();
  private final QueueServer server;
  private final OutageClient client;

  OutageRun(Client name, Policy policy, FifoQueue queue, long origin) throws IOException {
    this.name = name;
    this.policy = policy;
    this.server = new QueueServer(queue, tally, origin);
    this.client = name.connect(server.address(), policy.retry());
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

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
