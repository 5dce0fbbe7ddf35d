package dev.steadfast.retry.tck.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A journal in memory that tests can watch, run on other threads, and break. */
public final class JournalUnderTest implements OperationJournal {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final OperationJournal memory = OperationJournal.inMemory(1_000);
  private final @Nullable Executor executor;
  private final AtomicInteger claims = new AtomicInteger();
  private final List<Intent> intents = new CopyOnWriteArrayList<>();
  private final List<Ending> endings = new CopyOnWriteArrayList<>();

  /** The fault of a call to the journal. */
  public interface Fault {
    /** Throws, blocks, or does nothing. */
    void happen() throws IOException;
  }

  /** A step before the request is sent. */
  public enum Step {
    /** The claim. */
    CLAIM,
    /** The note that the request is about to be sent. */
    SENDING
  }

  private volatile Fault onClaim = () -> {};
  private volatile Fault onSending = () -> {};
  private volatile Fault onEnded = () -> {};
  private volatile Settings settings = Settings.defaults().addedByClient("Authorization");
  private volatile @Nullable Claim instead;

  /**
   * A journal.
   *
   * @param executor runs its calls; null: the caller's thread
   */
  public JournalUnderTest(@Nullable Executor executor) {
    this.executor = executor;
  }

  /** Sets what goes wrong in a step. */
  public void on(Step step, Fault fault) {
    switch (step) {
      case CLAIM -> onClaim(fault);
      case SENDING -> onSending(fault);
    }
  }

  /** Ends the faults. */
  public void mend() {
    onClaim(() -> {});
    onSending(() -> {});
    onEnded(() -> {});
  }

  /** Sets what goes wrong in a claim. */
  public void onClaim(Fault fault) {
    onClaim = fault;
  }

  /** Sets what goes wrong right before the request is sent. */
  public void onSending(Fault fault) {
    onSending = fault;
  }

  /** Sets what goes wrong when the end is noted. */
  public void onEnded(Fault fault) {
    onEnded = fault;
  }

  /** The journal has no connection. */
  public static Fault unreachable() {
    return () -> {
      throw new RefusedException(Refusal.UNREACHABLE, "no connection", null);
    };
  }

  /** Changes the settings. */
  public void settings(Settings other) {
    settings = other;
  }

  /** Answers each claim so from now on. */
  public void answers(Claim claim) {
    instead = claim;
  }

  /** The intents that were claimed so far, granted or not. Each is as it was at its claim. */
  public List<Intent> intents() {
    return intents;
  }

  /** How often an operation was claimed so far, with or without success. */
  public int claims() {
    return claims.get();
  }

  /** The endings that were noted so far. */
  public List<Ending> endings() {
    return endings;
  }

  /** Waits until so many ends were noted. */
  public List<Ending> awaitEndings(int count) {
    long patience = System.nanoTime() + PATIENCE_NANOS;
    while (endings.size() < count) {
      if (System.nanoTime() - patience > 0) {
        throw new AssertionError("noted: " + endings + " (expected: " + count + ")");
      }
      Thread.onSpinWait();
    }
    return endings;
  }

  /** Compares what two journals keep of an operation. */
  public static void assertSame(Intent expected, Intent actual) {
    assertEquals(expected.id(), actual.id());
    assertEquals(expected.fingerprint(), actual.fingerprint());
    assertEquals(expected.terms(), actual.terms());
    Request request = expected.request();
    assertEquals(request.method(), actual.request().method());
    assertEquals(request.uri(), actual.request().uri());
    Content content = request.content();
    assertEquals(content.headers(), actual.request().content().headers());
    assertArrayEquals(content.body().orElse(null), actual.request().content().body().orElse(null));
  }

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public Claim claim(Intent intent, Duration lease) throws IOException {
    onClaim.happen();
    Claim set = instead;
    Claim claim = set == null ? memory.claim(intent, lease) : set;
    intents.add(intent);
    claims.incrementAndGet();
    return claim;
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    onSending.happen();
    return memory.sending(intent, claim);
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    onEnded.happen();
    boolean held = memory.ended(intent, claim, ending);
    endings.add(ending);
    return held;
  }

  @Override
  public Optional<Executor> executor() {
    return Optional.ofNullable(executor);
  }
}
