package dev.steadfast.retry.examples.pacing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Sixteen threads call servers that accept 100 requests per 10 s, with pacing and without. Over
 * real HTTP and in real time, all side by side. The servers count.
 */
public final class Pacing {
  private static final int WINDOWS = 6;
  private static final int PAIRS = 3; // of processes, of which the median is taken
  private static final double LEAST_USED_PERCENT = 95;
  private static final double MOST_REJECTED_PERCENT = 2;

  private final List<LimitedServer> servers = new ArrayList<>();
  private final List<String> forSecond = new ArrayList<>();
  private boolean kept = true;

  private Pacing() {}

  /**
   * Runs for 70 s, prints what the servers counted, and ends with status 1 if a promise is broken.
   *
   * @param arguments none
   * @throws IOException if a port cannot be opened or a process not be started
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.out.printf(
        "16 threads, 100 requests per 10 s, %d whole windows after the first: %d s%n",
        WINDOWS, 10 * (WINDOWS + 1));
    Pacing pacing = new Pacing();
    boolean kept = pacing.run();
    System.out.println(kept ? "All promises hold." : "A promise is broken.");
    System.exit(kept ? 0 : 1);
  }

  private boolean run() throws IOException, InterruptedException {
    List<Runnable> reports = new ArrayList<>();
    for (LimitedClient.Kind kind : LimitedClient.Kind.values()) {
      for (boolean paced : new boolean[] {false, true}) {
        reports.add(alone(kind, paced));
      }
    }
    for (LimitedClient.Kind kind : LimitedClient.Kind.values()) {
      reports.add(pairs(kind));
      reports.add(other(kind, "token-bucket", Limiter.tokenBucket()));
      reports.add(other(kind, "sliding-window", Limiter.slidingWindow()));
    }
    Process second = SecondProcess.start(forSecond);
    try {
      Thread.sleep((WINDOWS + 1) * Limiter.WINDOW_NANOS / 1_000_000);
    } finally {
      second.destroy();
    }
    reports.forEach(Runnable::run);
    servers.forEach(LimitedServer::close);
    return kept;
  }

  private LimitedServer server(Limiter limiter) throws IOException {
    LimitedServer server = new LimitedServer(limiter, WINDOWS);
    servers.add(server);
    return server;
  }

  private Runnable alone(LimitedClient.Kind kind, boolean paced) throws IOException {
    LimitedServer server = server(Limiter.fixedWindow());
    LimitedClient.start(kind, server.address(), paced);
    return () -> {
      print(kind, paced, server, "");
      boolean holds = server.rejected() == 0 && server.usedPercent() >= LEAST_USED_PERCENT;
      kept &= !paced || holds;
    };
  }

  private Runnable other(LimitedClient.Kind kind, String name, Limiter limiter) throws IOException {
    LimitedServer server = server(limiter);
    LimitedClient.start(kind, server.address(), true);
    return () -> print(kind, true, server, " server=" + name);
  }

  private Runnable pairs(LimitedClient.Kind kind) throws IOException {
    List<LimitedServer> each = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      LimitedServer server = server(Limiter.fixedWindow());
      each.add(server);
      LimitedClient.start(kind, server.address(), true);
      forSecond.add(kind.name());
      forSecond.add(server.address().toString());
    }
    return () -> {
      each.forEach(server -> print(kind, true, server, " processes=2"));
      each.sort(Comparator.comparingDouble(LimitedServer::rejectedPercent));
      kept &= each.get(PAIRS / 2).rejectedPercent() <= MOST_REJECTED_PERCENT;
    };
  }

  private static void print(
      LimitedClient.Kind kind, boolean paced, LimitedServer server, String more) {
    System.out.printf(
        Locale.ROOT,
        "pacing client=%s mode=%s %s%s%n",
        kind,
        paced ? "on" : "off",
        server.figures(),
        more);
  }
}
