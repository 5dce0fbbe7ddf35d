package dev.steadfast.retry.spring.boot;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;

/**
 * The orderly end: after the web server has let its requests finish, the operations that are under
 * way, with their waits, get nine tenths of the time that Spring gives to each phase. Operations
 * that are not over by then are ended. A client with nothing under way stays usable until its bean
 * is destroyed; one of java.net.http that had to be ended stays shut.
 */
final class ClientShutdown implements SmartLifecycle {
  // Runs after Boot's web servers, which end at 1024 and 2048 below.
  private static final int PHASE = DEFAULT_PHASE - 4096;

  private final SteadfastClients clients;
  private final Duration patience;
  private volatile boolean running;

  /**
   * Ends clients.
   *
   * @param clients the clients
   * @param phase the time that Spring gives to a phase
   */
  ClientShutdown(SteadfastClients clients, Duration phase) {
    this.clients = clients;
    this.patience = phase.multipliedBy(9).dividedBy(10);
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  // Nothing of a client goes on by itself, so there is nothing to pause.
  @Override
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  // Spring waits for the other thread, and goes on without it when the phase is over.
  @Override
  public void stop(Runnable stopped) {
    Thread ending =
        new Thread(
            () -> {
              try {
                stop();
              } finally {
                stopped.run();
              }
            },
            "steadfast-shutdown");
    ending.setDaemon(true);
    ending.start();
  }

  @Override
  public void stop() {
    long end = System.nanoTime() + patience.toNanos();
    for (SteadfastClient client : clients.all()) {
      long left = Math.max(0, end - System.nanoTime());
      if (!idle(client, left)) {
        client.end();
        idle(client, TimeUnit.SECONDS.toNanos(1)); // until their threads notice
      }
    }
    running = false;
  }

  private static boolean idle(SteadfastClient client, long nanos) {
    try {
      return client.watch().awaitIdle(Duration.ofNanos(nanos));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
