package dev.steadfast.retry.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts, kills and freezes the client processes. Every second one can be of another version of the
 * library. Safe for use by many threads.
 */
final class Clients implements Proxy.Clients, AutoCloseable {
  private final List<Supervised> clients = new CopyOnWriteArrayList<>();
  private final Set<Integer> frozen = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final String other;
  private final AtomicInteger started = new AtomicInteger();

  /**
   * The clients.
   *
   * @param other the class path of the other version; empty for none
   */
  Clients(String other) {
    this.other = other;
  }

  private String classPath() {
    boolean second = started.getAndIncrement() % 2 == 1;
    return second && !other.isEmpty() ? other : Jvm.classPath();
  }

  /** How many processes were of the other version. */
  int others() {
    return other.isEmpty() ? 0 : started.get() / 2;
  }

  /** Starts them all. */
  void start(History history, String jdbcUrl, Proxy proxy) {
    long startNanos = System.nanoTime();
    for (int i = 0; i < Workload.CLIENTS; i++) {
      String number = Integer.toString(i);
      String port = Integer.toString(proxy.port(i));
      clients.add(
          new Supervised(
              "client " + i,
              () ->
                  Jvm.start(
                      classPath(),
                      ClientMain.class,
                      history.file("client-" + number + ".err"),
                      history.file("").toString(),
                      number,
                      jdbcUrl,
                      port,
                      Long.toString(
                          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos)))));
    }
  }

  @Override
  public void kill(int client) {
    Jvm.kill(clients.get(client).process());
  }

  @Override
  public boolean frozen(int client) {
    return frozen.contains(client);
  }

  @Override
  public void freeze(int client) {
    if (!frozen.add(client)) {
      return;
    }
    Process process = clients.get(client).process();
    signal(process, "STOP");
    timer.schedule(
        () -> {
          signal(process, "CONT");
          frozen.remove(client);
        },
        Payments.PAST_LEASE.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private static void signal(Process process, String name) {
    try {
      Jvm.signal(process, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> surprises() {
    return clients.stream().flatMap(each -> each.surprises().stream()).toList();
  }

  void awaitEnd() throws InterruptedException {
    for (Supervised client : clients) {
      client.awaitEnd();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    clients.forEach(Supervised::close);
  }
}
