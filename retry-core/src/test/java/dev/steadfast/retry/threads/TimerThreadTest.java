package dev.steadfast.retry.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryScheduler;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The timer thread and its pool, with real threads and real time. Nothing here depends on how long
 * something takes: what never happens fails after a minute.
 */
class TimerThreadTest {
  private static final long LONG = TimeUnit.MINUTES.toNanos(2);
  private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final long PATIENCE_SECONDS = 60;

  private final Makers threads = new Makers();
  private final CountDownLatch end = new CountDownLatch(1);

  /** Starts threads, remembers them, and fails where a test says so. */
  private static final class Makers implements ThreadStarter {
    private final Queue<Thread> made = new ConcurrentLinkedQueue<>();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean refuses;

    @Override
    public Thread start(String name, Runnable body) {
      if (refuses) {
        refused.incrementAndGet();
        throw new OutOfMemoryError("unable to create native thread, says the test");
      }
      Thread thread = WorkerThread.make(body);
      thread.setName(name);
      made.add(thread);
      thread.start();
      return thread;
    }

    Thread named(String name) {
      return made.stream().filter(each -> each.getName().equals(name)).findFirst().orElseThrow();
    }
  }

  private TimerThread timers(long idleNanos, int workers) {
    return new TimerThread(threads, idleNanos, workers);
  }

  @AfterEach
  void stop() throws InterruptedException {
    threads.refuses = false;
    end.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(
          latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS), () -> latch.getCount() + " are missing");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitEnd(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    assertFalse(thread.isAlive(), () -> thread.getName() + " is alive");
  }

  private static void awaitGone(WeakReference<?> gone) {
    await(() -> {
      System.gc();
      return gone.get() == null;
    });
  }

  private static void await(BooleanSupplier holds) {
    CountDownLatch never = new CountDownLatch(1);
    long start = System.nanoTime();
    while (!holds.getAsBoolean()) {
      assertTrue(
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS),
          "it does not happen");
      try {
        boolean ignored = never.await(1, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Blocks a worker until the test ends. */
  private void block(CountDownLatch begun) {
    begun.countDown();
    await(end);
  }

  // --- what is due ---

  @Test
  void noTaskRunsEarly_andAllRun() {
    TimerThread timers = timers(SHORT, 4);
    int tasks = 2_000;
    CountDownLatch ran = new CountDownLatch(tasks);
    Queue<Long> early = new ConcurrentLinkedQueue<>();
    SplittableRandom random = new SplittableRandom(4);
    for (int i = 0; i < tasks; i++) {
      long delay = random.nextLong(TimeUnit.MILLISECONDS.toNanos(300));
      long due = System.nanoTime() + delay;
      timers.schedule(
          delay,
          () -> {
            if (System.nanoTime() - due < 0) {
              early.add(due - System.nanoTime());
            }
            ran.countDown();
          });
    }
    await(ran);
    assertTrue(early.isEmpty(), early::toString);
  }

  /** With one that is there already and no more, however long a task has waited. */
  private TimerThread withOneWorker() {
    TimerThread timers = timers(LONG, 1);
    awaitTick(timers);
    threads.refuses = true;
    return timers;
  }

  /** A timer and the two times between which it is due. */
  private record Due(long first, long last) {}

  // The order is that of the timers that the timer thread knows. Where it did not know all of them
  // before the first was due, once more.
  @Test
  void oneWorkerRunsThemInTheOrderOfTheirTimes() {
    TimerThread timers = withOneWorker();
    long first = TimeUnit.MILLISECONDS.toNanos(100);
    boolean inTime = false;
    while (!inTime) {
      Queue<Due> order = new ConcurrentLinkedQueue<>();
      CountDownLatch ran = new CountDownLatch(50);
      long start = System.nanoTime();
      for (int i = 50; i > 0; i--) {
        long delay = first + TimeUnit.MILLISECONDS.toNanos(4L * i);
        long before = System.nanoTime();
        CompletableFuture<Due> due = new CompletableFuture<>();
        timers.schedule(
            delay,
            () -> {
              order.add(due.join());
              ran.countDown();
            });
        due.complete(new Due(before + delay, System.nanoTime() + delay));
      }
      awaitTick(timers);
      inTime = System.nanoTime() - start < first;
      await(ran);
      if (inTime) {
        assertOrdered(List.copyOf(order));
      }
    }
  }

  private static void assertOrdered(List<Due> all) {
    for (int i = 0; i < all.size(); i++) {
      for (Due later : all.subList(i, all.size())) {
        assertTrue(later.last() - all.get(i).first() >= 0, () -> all.toString());
      }
    }
  }

  @Test
  void aTimerBeforeAllOthers_doesNotWaitForThem() {
    TimerThread timers = timers(LONG, 1);
    CountDownLatch first = new CountDownLatch(1);
    timers.schedule(1, first::countDown);
    await(first); // the timer thread sleeps from here on
    timers.schedule(HOUR, () -> {});
    CountDownLatch near = new CountDownLatch(1);
    timers.schedule(SHORT, near::countDown);
    await(near);
  }

  @Test
  void delaysSaturate() {
    TimerThread timers = timers(SHORT, 1);
    AtomicInteger ran = new AtomicInteger();
    TimedTask longest = timers.schedule(Long.MAX_VALUE, ran::incrementAndGet);
    CountDownLatch near = new CountDownLatch(3);
    timers.schedule(SHORT, near::countDown);
    timers.schedule(0, near::countDown);
    timers.schedule(-1, near::countDown);
    await(near);
    longest.cancel();
    assertEquals(0, ran.get());
  }

  @Test
  void aTaskThatThrows_endsNeitherWorkerNorTimer() throws Exception {
    TimerThread timers = withOneWorker();
    for (Throwable each :
        List.of(new AssertionError("made to fail"), new IllegalStateException())) {
      timers.schedule(1, () -> TimerThreadTest.<RuntimeException>sneak(each));
    }
    timers.schedule(1, () -> Thread.currentThread().interrupt());
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    timers.schedule(
        TimeUnit.MILLISECONDS.toNanos(50),
        () -> interrupted.complete(Thread.currentThread().isInterrupted()));
    assertFalse(
        interrupted.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "the next task is interrupted");
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  // --- what is cancelled ---

  @Test
  void cancellingDropsTheTaskAtOnce_andTheTimerSoon() {
    TimerThread timers = timers(LONG, 1);
    awaitGone(cancelledTask(timers));
    TimedTask keptAlive = timers.schedule(HOUR, () -> {});
    awaitGone(cancelledTimer(timers));
    keptAlive.cancel();
  }

  private static WeakReference<?> cancelledTask(TimerThread timers) {
    Runnable task = new AtomicInteger()::incrementAndGet;
    TimedTask timer = timers.schedule(HOUR, task);
    timer.cancel();
    timer.cancel();
    return new WeakReference<>(task);
  }

  private static WeakReference<?> cancelledTimer(TimerThread timers) {
    TimedTask timer = timers.schedule(HOUR, () -> {});
    awaitTick(timers); // it is in the heap
    timer.cancel();
    return new WeakReference<>(timer);
  }

  /** Until the timer thread has looked: a timer of a moment is in no order to those before it. */
  private static void awaitTick(TimerThread timers) {
    CountDownLatch looked = new CountDownLatch(1);
    timers.schedule(TimeUnit.MILLISECONDS.toNanos(1), looked::countDown);
    await(looked);
  }

  @Test
  void aKeptHandleHoldsNoOtherTimer() {
    TimerThread timers = timers(LONG, 1);
    TimedTask[] kept = new TimedTask[2];
    awaitGone(cancelledBetween(timers, kept));
    kept[0].cancel();
    kept[1].cancel();
  }

  private static WeakReference<?> cancelledBetween(TimerThread timers, TimedTask[] kept) {
    kept[0] = timers.schedule(HOUR, () -> {});
    TimedTask between = timers.schedule(HOUR, () -> {});
    kept[1] = timers.schedule(HOUR, () -> {});
    between.cancel();
    return new WeakReference<>(between);
  }

  @Test
  void eachTaskRunsOnceOrIsCancelled_underStress() throws Exception {
    TimerThread timers = timers(SHORT, 4);
    int threadCount = 16;
    int each = 5_000;
    AtomicIntegerArray runs = new AtomicIntegerArray(threadCount * each);
    CountDownLatch left = new CountDownLatch(threadCount * each);
    ExecutorService callers = Executors.newFixedThreadPool(threadCount);
    try {
      List<Future<Set<Integer>>> ends = new ArrayList<>();
      for (int i = 0; i < threadCount; i++) {
        int from = i * each;
        ends.add(callers.submit(() -> scheduleAndCancel(timers, runs, left, from, from + each)));
      }
      for (Future<Set<Integer>> cancelled : ends) {
        cancelled.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    } finally {
      callers.shutdown();
    }
    await(left);
    for (int i = 0; i < runs.length(); i++) {
      assertEquals(1, runs.get(i), "runs and cancellations of " + i);
    }
  }

  private static Set<Integer> scheduleAndCancel(
      TimerThread timers, AtomicIntegerArray runs, CountDownLatch left, int from, int to) {
    Set<Integer> cancelled = ConcurrentHashMap.newKeySet();
    SplittableRandom random = new SplittableRandom(from);
    for (int i = from; i < to; i++) {
      int id = i;
      boolean cancels = random.nextBoolean();
      long delay = random.nextLong(TimeUnit.MILLISECONDS.toNanos(cancels ? 2 : 50));
      TimedTask timer =
          timers.schedule(
              delay,
              () -> {
                runs.incrementAndGet(id);
                left.countDown();
              });
      if (cancels && timer.take() != null) {
        cancelled.add(id);
        runs.incrementAndGet(id);
        left.countDown();
      }
    }
    return cancelled;
  }

  // --- threads ---

  @Test
  void theThreadsEndWhenIdle_andComeBack() throws Exception {
    TimerThread timers = timers(SHORT, 2);
    for (int round = 0; round < 3; round++) {
      awaitTick(timers);
      assertTrue(threads.made.size() >= 2);
      for (Thread thread : threads.made) {
        awaitEnd(thread);
      }
      await(() -> timers.pools().workers().workers() == 0);
      threads.made.clear();
    }
  }

  @Test
  void theThreadStaysWhileATimerLives_andNotForACancelledOne() throws Exception {
    TimerThread timers = timers(SHORT, 1);
    TimedTask far = timers.schedule(HOUR, () -> {});
    Thread thread = threads.named("steadfast-timer");
    thread.join(500);
    assertTrue(thread.isAlive());
    far.cancel();
    awaitEnd(thread);
  }

  @Test
  void theThreadsKeepNothingOfTheirCreator() throws Exception {
    InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
    inherited.set("the caller's");
    TimerThread timers = timers(SHORT, 1);
    CompletableFuture<String> seen = new CompletableFuture<>();
    timers.schedule(
        1,
        () -> {
          Thread.currentThread().setContextClassLoader(TimerThreadTest.class.getClassLoader());
          seen.complete(inherited.get());
        });
    assertNull(seen.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
    timers.schedule(1, () -> loader.complete(Thread.currentThread().getContextClassLoader()));
    assertNull(loader.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "what the task before has left");
    for (Thread thread : threads.made) {
      assertTrue(thread.isDaemon());
    }
    assertNull(threads.named("steadfast-timer").getContextClassLoader());
    assertFalse(WorkerThread.isWorker());
    CompletableFuture<Boolean> worker = new CompletableFuture<>();
    timers.schedule(0, () -> worker.complete(WorkerThread.isWorker()));
    assertTrue(worker.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    inherited.remove();
  }

  /** An application that is deployed, schedules a task, and is undeployed while others go on. */
  @Test
  void theThreadsDoNotKeepTheClassLoaderOfTheirCaller() throws Exception {
    TimerThread timers = timers(LONG, 1);
    awaitGone(deployed(new TimerScheduler(timers, null)));
    assertTrue(threads.made.size() >= 2);
    threads.made.forEach(thread -> assertTrue(thread.isAlive()));
  }

  private static WeakReference<?> deployed(RetryScheduler scheduler) throws Exception {
    String name = Application.class.getName();
    Class<?> type = new OneClassLoader(name).loadClass(name);
    assertNotSame(Application.class, type);
    Object application = type.getDeclaredConstructor().newInstance();
    type.getMethod("accept", RetryScheduler.class).invoke(application, scheduler);
    return new WeakReference<>(type.getClassLoader());
  }

  /** Defines one class again. */
  private static final class OneClassLoader extends ClassLoader {
    private final String name;

    OneClassLoader(String name) {
      super(TimerThreadTest.class.getClassLoader());
      this.name = name;
    }

    @Override
    protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
      if (!wanted.equals(name)) {
        return super.loadClass(wanted, resolve);
      }
      String file = wanted.substring(wanted.lastIndexOf('.') + 1) + ".class";
      try (InputStream in = TimerThreadTest.class.getResourceAsStream(file)) {
        byte[] bytes = Objects.requireNonNull(in).readAllBytes();
        return defineClass(wanted, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(wanted, e);
      }
    }
  }

  /** Public, because it is used through its class alone. */
  public static final class Application {
    public void accept(RetryScheduler scheduler) throws InterruptedException {
      CountDownLatch ran = new CountDownLatch(1);
      scheduler.schedule(1, ran::countDown);
      assertTrue(ran.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
  }

  @Test
  void aTaskRunsOnNoThreadOfTheCaller_norOnTheTimers() throws Exception {
    TimerThread timers = timers(LONG, 1);
    for (long delay : new long[] {0, 1}) {
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      timers.schedule(delay, () -> ran.complete(Thread.currentThread()));
      Thread thread = ran.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertNotSame(Thread.currentThread(), thread);
      assertTrue(thread.getName().startsWith("steadfast-worker-"), thread::getName);
    }
  }

  @Test
  void thePoolGrowsWhileItsThreadsBlock_andShrinks() throws Exception {
    TimerThread timers = timers(SHORT, 2);
    CountDownLatch begun = new CountDownLatch(10);
    for (int i = 0; i < 10; i++) {
      timers.schedule(0, () -> block(begun));
    }
    await(begun);
    await(() -> timers.pools().workers().workers() >= 10);
    end.countDown();
    for (Thread thread : threads.made) {
      awaitEnd(thread);
    }
    await(() -> timers.pools().workers().workers() == 0);
  }

  /** Each task is begun although all before it block: there is no number at which that ends. */
  @Test
  void thePoolGrowsAsLongAsItsThreadsBlock() {
    TimerThread timers = timers(SHORT, 2);
    CountDownLatch begun = new CountDownLatch(200);
    for (int i = 0; i < 200; i++) {
      timers.schedule(i % 2, () -> block(begun));
    }
    await(begun);
  }

  /** Those that came first block, and the pool makes two threads in two steps and no more. */
  @Test
  void aThreadThatIsAdded_beginsWithTheNewestTask() throws Exception {
    TimerThread timers = timers(LONG, 1);
    TimedTask far = timers.schedule(HOUR, () -> {}); // the timer thread runs
    CountDownLatch begun = new CountDownLatch(1);
    timers.schedule(0, () -> block(begun));
    await(begun);
    threads.refuses = true;
    for (int i = 0; i < 100; i++) {
      timers.schedule(0, () -> block(begun));
    }
    CountDownLatch newest = new CountDownLatch(1);
    timers.schedule(0, newest::countDown);
    await(() -> threads.refused.get() > 5);
    int before = threads.made.size();
    threads.refuses = false;
    await(newest);
    assertTrue(threads.made.size() - before < 50, () -> "threads: " + threads.made.size());
    far.cancel();
  }

  @Test
  void whatSettles_runsOnTheThreadOfTheTimers_howeverManyTasksWait() throws Exception {
    TimerThread timers = timers(LONG, 1);
    CountDownLatch begun = new CountDownLatch(1);
    timers.schedule(0, () -> block(begun));
    await(begun);
    threads.refuses = true;
    for (int i = 0; i < 1_000; i++) {
      timers.schedule(1, () -> block(begun));
    }
    threads.refuses = false;
    TimedTask first = timers.schedule(HOUR, () -> {}); // starts the thread
    threads.refuses = true;
    CompletableFuture<String> ran = new CompletableFuture<>();
    timers.settle(1, () -> ran.complete(Thread.currentThread().getName()));
    assertEquals("steadfast-timer", ran.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    first.cancel();
  }

  @Test
  void whatSettlesAndFindsNoMemory_isRunAgain_andHoldsUpNothingForGood() {
    TimerThread timers = timers(LONG, 1);
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch settled = new CountDownLatch(1);
    timers.settle(
        1,
        () -> {
          if (runs.incrementAndGet() < 3) {
            throw new OutOfMemoryError("made to fail");
          }
          settled.countDown();
        });
    await(settled);
    awaitTick(timers);
    assertEquals(3, runs.get());
  }

  @Test
  void whatSettlesAndThrows_endsNeitherTheThreadNorOtherTimers() {
    TimerThread timers = timers(LONG, 1);
    CountDownLatch settled = new CountDownLatch(2);
    timers.settle(
        1,
        () -> {
          settled.countDown();
          throw new IllegalStateException("made to fail");
        });
    timers.settle(2, settled::countDown);
    await(settled);
    awaitTick(timers);
  }

  // --- where no thread can be made ---

  @Test
  void withoutAWorker_theTimerThreadTriesAgain() {
    TimerThread timers = timers(LONG, 2);
    TimedTask far = timers.schedule(HOUR, () -> {});
    CountDownLatch ran = new CountDownLatch(200);
    threads.refuses = true;
    for (int i = 0; i < 100; i++) {
      timers.schedule(i + 1, ran::countDown);
      timers.schedule(0, ran::countDown); // at once, by the pool
    }
    await(() -> threads.refused.get() > 5);
    assertEquals(200, ran.getCount());
    threads.refuses = false;
    await(ran);
    far.cancel();
  }

  @Test
  void withoutAnyThread_theTaskIsRefused_andForgotten() {
    TimerThread timers = timers(SHORT, 2);
    threads.refuses = true;
    AtomicInteger ran = new AtomicInteger();
    for (long delay : new long[] {0, 1, HOUR}) {
      RejectedExecutionException refused =
          assertThrows(
              RejectedExecutionException.class, () -> timers.schedule(delay, ran::incrementAndGet));
      assertEquals(
          "unable to create native thread, says the test", refused.getCause().getMessage());
    }
    threads.refuses = false;
    awaitTick(timers);
    assertEquals(0, ran.get());
  }

  @Test
  void withAnIdleWorkerAndNoTimerThread_theWorkerStartsIt() throws Exception {
    TimerThread timers = timers(LONG, 2);
    timers.schedule(0, () -> {});
    assertEquals(1, threads.made.size());
    threads.refuses = true;
    CountDownLatch ran = new CountDownLatch(1);
    timers.schedule(1, ran::countDown);
    await(() -> threads.refused.get() > 5);
    threads.refuses = false;
    await(ran);
  }

  @Test
  void withABusyWorkerAndNoTimerThread_theWorkerStartsItAfterItsTask() throws Exception {
    TimerThread timers = timers(LONG, 1);
    CountDownLatch begun = new CountDownLatch(1);
    timers.schedule(0, () -> block(begun));
    await(begun);
    threads.refuses = true;
    CountDownLatch ran = new CountDownLatch(1);
    timers.schedule(1, ran::countDown);
    threads.refuses = false;
    assertEquals(1, ran.getCount());
    end.countDown();
    await(ran);
  }

  @Test
  void aThreadThatCannotBeStarted_isAsOneThatCannotBeMade() {
    AtomicInteger left = new AtomicInteger(3);
    TimerThread timers =
        new TimerThread(
            (name, body) -> {
              if (left.getAndDecrement() > 0) {
                throw new IllegalThreadStateException("says the test");
              }
              return threads.start(name, body);
            },
            SHORT,
            2);
    assertThrows(RejectedExecutionException.class, () -> timers.schedule(1, () -> {}));
    // This one takes two: for the pool, then for the timer thread, which would try again.
    assertThrows(RejectedExecutionException.class, () -> timers.schedule(0, () -> {}));
    awaitTick(timers);
  }

  /** A thread that starts another waits until it runs, which takes its time on a busy machine. */
  @Test
  void aWorkerThatIsSlowToStart_holdsNoTimerUp() {
    CountDownLatch starting = new CountDownLatch(1);
    TimerThread timers =
        new TimerThread(
            (name, body) -> {
              if (name.startsWith("steadfast-worker")) {
                starting.countDown();
                await(end);
              }
              return threads.start(name, body);
            },
            SHORT,
            2);
    CountDownLatch continued = new CountDownLatch(1);
    timers.schedule(1, continued::countDown);
    await(starting);
    CountDownLatch settled = new CountDownLatch(1);
    timers.settle(1, settled::countDown);
    await(settled);
    assertEquals(1, continued.getCount());
    end.countDown();
    await(continued);
  }

  @Test
  void threadsThatFailAtRandom_loseNoTask() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    ConcurrentLinkedQueue<Boolean> luck = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 100_000; i++) {
      luck.add(random.nextInt(10) > 0);
    }
    TimerThread timers =
        new TimerThread(
            (name, body) -> {
              if (Boolean.TRUE.equals(luck.poll())) {
                throw new OutOfMemoryError("unable to create native thread, says the test");
              }
              return threads.start(name, body);
            },
            SHORT,
            4);
    int tasks = 20_000;
    AtomicInteger refused = new AtomicInteger();
    AtomicIntegerArray runs = new AtomicIntegerArray(tasks);
    CountDownLatch left = new CountDownLatch(tasks);
    ExecutorService callers = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int from = i;
        ends.add(
            callers.submit(() -> {
              for (int id = from; id < tasks; id += 4) {
                int each = id;
                try {
                  timers.schedule(
                      each % 3,
                      () -> {
                        runs.incrementAndGet(each);
                        left.countDown();
                      });
                } catch (RejectedExecutionException none) {
                  refused.incrementAndGet();
                  runs.incrementAndGet(each);
                  left.countDown();
                }
              }
            }));
      }
      for (Future<?> caller : ends) {
        caller.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    } finally {
      callers.shutdown();
    }
    await(left);
    for (int i = 0; i < tasks; i++) {
      assertEquals(1, runs.get(i), "runs and refusals of " + i);
    }
    assertTrue(refused.get() < tasks);
  }
}
