package dev.steadfast.retry.torture;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Starts a process again whenever it was killed. Safe for use by many threads. */
final class Supervised implements AutoCloseable {
  private static final int KILLED = 137;
  private static final int MOST_SURPRISES = 3;

  /** Starts the process. */
  interface Starter {
    Process start() throws IOException;
  }

  private final String name;
  private final Starter starter;
  private final Thread thread;
  private final List<String> surprises = new CopyOnWriteArrayList<>();
  private volatile Process process;
  private volatile boolean ending;

  Supervised(String name, Starter starter) {
    this.name = name;
    this.starter = starter;
    this.thread = new Thread(this::supervise, name);
    thread.start();
  }

  private void supervise() {
    try {
      boolean again = true;
      while (again && !ending) {
        process = starter.start();
        again = again(process.waitFor());
      }
    } catch (IOException e) {
      surprises.add(name + " could not be started: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (process != null) {
        Jvm.kill(process);
      }
    }
  }

  /** Whether to start it again: yes if it was killed, no at its regular end. */
  private boolean again(int code) {
    if (code != 0 && code != KILLED) {
      surprises.add(name + " has ended with " + code);
    }
    return code != 0 && surprises.size() < MOST_SURPRISES;
  }

  /** The process that runs now, or ran last; null before the first. */
  Process process() {
    return process;
  }

  /** Unplanned ends of the process. */
  List<String> surprises() {
    return List.copyOf(surprises);
  }

  /** Waits for the regular end of the process. */
  void awaitEnd() throws InterruptedException {
    thread.join();
  }

  /** Kills the process for good. */
  @Override
  public void close() {
    ending = true;
    Process last = process;
    if (last != null) {
      Jvm.kill(last);
    }
    thread.interrupt(); // it may be starting the next process right now
  }
}
