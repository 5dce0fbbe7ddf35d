package dev.steadfast.retry.simulator;

import java.util.ArrayDeque;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Workers behind one queue, first come, first served. The server does not know which of its clients
 * have given up: it does their work as well.
 *
 * <p>If the client of a job gave up, only the place of the job is kept. Such jobs at the head are
 * kept as a number, so that a queue which grows without end takes no memory.
 */
final class FifoServer {
  /** Work that a client waits for, or did. */
  static final class Job {
    private final Runnable done;
    private boolean abandoned;

    Job(Runnable done) {
      this.done = done;
    }

    void abandon() {
      abandoned = true;
    }
  }

  /**
   * The parts of a server.
   *
   * @param workers how many jobs are done at a time
   * @param workNanos draws how long a job takes at full speed
   * @param queueLimit the longest queue; a job beyond is refused
   * @param speed how fast it works, over time
   */
  record Build(int workers, ToDoubleFunction<Draws> workNanos, long queueLimit, Speed speed) {}

  private final EventQueue time;
  private final Draws draws;
  private final Build build;
  private final ArrayDeque<Job> queue = new ArrayDeque<>();
  private long abandonedAhead;
  private int busy;

  FifoServer(EventQueue time, Draws draws, Build build) {
    this.time = time;
    this.draws = draws;
    this.build = build;
  }

  /** Takes a job; false if the queue is full. */
  boolean offer(Job job) {
    if (busy < build.workers()) {
      busy++;
      work(job);
      return true;
    }
    dropAbandoned();
    if (queued() >= build.queueLimit()) {
      return false;
    }
    queue.add(job);
    return true;
  }

  private void work(@Nullable Job job) {
    long now = time.nowNanos();
    long doneAt = build.speed().doneAt(now, build.workNanos().applyAsDouble(draws));
    time.schedule(doneAt - now, () -> done(job));
  }

  private void done(@Nullable Job job) {
    if (job != null && !job.abandoned) {
      job.done.run();
    }
    dropAbandoned();
    if (abandonedAhead > 0) {
      abandonedAhead--;
      work(null);
    } else if (queue.isEmpty()) {
      busy--;
    } else {
      work(queue.poll());
    }
  }

  private void dropAbandoned() {
    Job head = queue.peek();
    while (head != null && head.abandoned) {
      queue.poll();
      abandonedAhead++;
      head = queue.peek();
    }
  }

  long queued() {
    return abandonedAhead + queue.size();
  }

  /** How many jobs are kept as objects. */
  int held() {
    return queue.size();
  }
}
