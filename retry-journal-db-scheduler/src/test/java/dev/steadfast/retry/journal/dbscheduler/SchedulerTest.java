package dev.steadfast.retry.journal.dbscheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import dev.steadfast.retry.tck.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real schedulers, which share a database. */
class SchedulerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @AutoClose private static TestDatabase database;

  @AutoClose private Deliveries all;
  private JournalDelivery delivery;

  @BeforeAll
  static void startDatabase() throws Exception {
    database = new TestDatabase();
  }

  @BeforeEach
  void start() throws Exception {
    all = new Deliveries(database);
    delivery = all.delivery();
    all.server.defaultReply(Reply.status(201));
  }

  private Scheduler scheduler(String name) {
    return Scheduler.create(all.source())
        .startTasks(delivery.task())
        .schedulerName(new SchedulerName.Fixed(name))
        .pollUsingLockAndFetch(0.5, 3.0)
        .pollingInterval(Duration.ofMillis(50))
        .heartbeatInterval(Duration.ofSeconds(1))
        .missedHeartbeatsLimit(4)
        .shutdownMaxWait(Duration.ofMillis(100))
        .build();
  }

  private void awaitNoWakeups() throws Exception {
    while (!all.wakeups().isEmpty()) {
      Thread.onSpinWait(); // bounded by the time limit of the test
    }
  }

  /** A delivery that was interrupted ends on other threads, perhaps after its scheduler. */
  private void awaitGivenBack(String key) throws Exception {
    String picked = "select picked from scheduled_tasks where task_instance <> 'sweep'";
    while (!all.state(key).equals("ready") || !all.lines(picked).equals(List.of("f"))) {
      Thread.onSpinWait(); // as above
    }
  }

  @Test
  void twoSchedulersShareTheWork() throws Exception {
    int operations = 100;
    for (int i = 0; i < operations; i++) {
      all.enlist(delivery, "order-" + i);
    }
    Scheduler one = scheduler("one");
    Scheduler two = scheduler("two");
    try {
      one.start();
      two.start();
      all.server.awaitRequests(operations, PATIENCE);
      awaitNoWakeups();
    } finally {
      one.stop();
      two.stop();
    }
    assertEquals(operations, all.received().size());
    assertEquals(operations, all.received().stream().distinct().count());
    assertEquals(List.of("succeeded"), all.lines("select distinct state from steadfast_operation"));
  }

  @Test
  void whatASchedulerIsStoppedInIsSentAgainWithTheSameKey() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    all.server.enqueue(Reply.status(201).delayUntil(never));
    all.enlist(delivery, "order-1");
    Scheduler stopped = scheduler("stopped");
    try {
      stopped.start();
      all.server.awaitRequests(1, PATIENCE);
    } finally {
      stopped.stop(); // interrupts it
    }
    awaitGivenBack("order-1");
    assertEquals(1, all.wakeups().size());
    all.passTime();
    all.execute("update scheduled_tasks set execution_time = clock_timestamp()");
    Scheduler next = scheduler("next");
    try {
      next.start();
      all.server.awaitRequests(2, PATIENCE);
      awaitNoWakeups();
    } finally {
      next.stop();
      never.countDown();
    }
    assertEquals("succeeded", all.state("order-1"));
    assertEquals(List.of("order-1", "order-1"), all.received());
    assertEquals(1, all.keys().size());
    assertFalse(all.keys().contains("none"));
  }
}
