package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the jobs of a journal, each on a thread of its own: the sending, and the purge. They pause
 * with their context: one that a test keeps must not send what another one has enlisted.
 */
final class JournalJobs implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  /**
   * How long the end waits for a run that goes on, and how long for one that it has interrupted.
   */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private final JdbcJournal journal;
  private final JournalProperties properties;
  private final Journaling.@Nullable Sender sender;
  private final Duration patience;
  private volatile @Nullable ScheduledExecutorService running;

  /**
   * Jobs.
   *
   * @param journal the journal
   * @param properties which jobs run, and how often
   * @param sender the client that sends; null if nothing is sent
   * @param patience how long the end waits for a run, and how long for one that it has interrupted
   */
  JournalJobs(
      JdbcJournal journal,
      JournalProperties properties,
      Journaling.@Nullable Sender sender,
      Duration patience) {
    this.journal = journal;
    this.properties = properties;
    this.sender = sender;
    this.patience = patience;
  }

  /** Work that a job does. */
  private interface Job {
    void run() throws IOException, InterruptedException;
  }

  @Override
  public void start() {
    ScheduledExecutorService jobs =
        Executors.newScheduledThreadPool(
            2,
            task -> {
              Thread thread = new Thread(task, "steadfast-journal");
              thread.setDaemon(true);
              return thread;
            });
    Journaling.Sender client = sender;
    if (client != null) {
      every(jobs, properties.resume().interval(), () -> resume(jobs, client));
    }
    if (properties.purge().enabled()) {
      every(
          jobs, properties.purge().interval(), () -> journal.purge(properties.purge().olderThan()));
    }
    running = jobs;
  }

  private static void every(ScheduledExecutorService jobs, Duration pause, Job job) {
    jobs.scheduleWithFixedDelay(() -> attempt(job), 0, pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  // A job that fails is tried again after its pause. An executor would end it for good, and say
  // nothing.
  private static void attempt(Job job) {
    try {
      job.run();
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    } catch (Throwable failed) {
      LOG.error("a job of the journal failed, and is tried again", failed);
    }
  }

  // A full page is followed by the next one at once.
  private void resume(ScheduledExecutorService jobs, Journaling.Sender client)
      throws IOException, InterruptedException {
    int most = properties.resume().most();
    while (!jobs.isShutdown() && journal.resume(client, Which.DUE, most) == most) {
      // the next page
    }
  }

  @Override
  public void stop() {
    ScheduledExecutorService jobs = running;
    running = null;
    if (jobs == null) {
      return;
    }
    jobs.shutdown();
    try {
      if (isOver(jobs)) {
        return;
      }
      jobs.shutdownNow();
      if (!isOver(jobs)) {
        LOG.warn("a job of the journal does not end, although it was interrupted");
      }
    } catch (InterruptedException interrupted) {
      jobs.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private boolean isOver(ScheduledExecutorService jobs) throws InterruptedException {
    return jobs.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }
}
