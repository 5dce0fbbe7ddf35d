package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A journal in the memory of this process. It keeps no requests, and at most 16 MiB of answers.
 * Safe for use by many threads.
 */
final class InMemoryJournal implements OperationJournal {
  private static final Set<State> FINISHED =
      EnumSet.of(State.SUCCEEDED, State.FAILED, State.CLOSED);
  private static final int MOST_BODY_BYTES = 1 << 16;
  private static final long MOST_BYTES = 1 << 24;
  private static final long UNKNOWN_NANOS = Duration.ofHours(24).toNanos();

  private final int most;
  private final LongSupplier ticker;
  private final Settings settings;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Id, Entry> entries = new LinkedHashMap<>(); // the oldest first
  private long claims;
  private long bytes; // of the answers' bodies

  InMemoryJournal(int most, Settings settings) {
    this(most, settings, RetryEnvironment.system().ticker());
  }

  InMemoryJournal(int most, Settings settings, LongSupplier ticker) {
    this.most = Checks.within("operations", most, 1, 1_000_000);
    int bodyBytes = Math.min(settings.mostBodyBytes(), MOST_BODY_BYTES);
    this.settings =
        settings.withMostBodyBytes(bodyBytes).withSecretParameters(); // keeps no request
    this.ticker = ticker;
  }

  /** One operation. Guarded by the lock. */
  private static final class Entry {
    private final String request;
    private final String caller;
    private final String fingerprint;
    private final Terms terms;
    private State state = State.IN_FLIGHT;
    private String token;
    private @Nullable Answer answer;
    private boolean sent; // by any claim
    private long windowEndsNanos; // once it is sent
    private long endedNanos;

    Entry(Intent intent, String token) {
      this.request = intent.request().toString();
      this.caller = intent.caller();
      this.fingerprint = intent.fingerprint();
      this.terms = intent.terms();
      this.token = token;
    }

    // An operation of unknown effect is remembered for a day, so that it is not begun again.
    boolean isForgettable(long nowNanos) {
      boolean old = state != State.IN_FLIGHT && nowNanos - endedNanos >= UNKNOWN_NANOS;
      return old || FINISHED.contains(state);
    }

    int bytes() {
      return answer == null ? 0 : answer.content().length();
    }
  }

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public Claim claim(Intent intent, Duration lease) throws RefusedException {
    lock.lock();
    try {
      Entry known = entries.get(intent.id());
      return known == null ? begin(intent) : claim(known, intent);
    } finally {
      lock.unlock();
    }
  }

  private Claim begin(Intent intent) throws RefusedException {
    if (entries.size() >= most && !forgetOne()) {
      throw new RefusedException(
          Refusal.UNREACHABLE,
          "the journal is full: none of its "
              + most
              + " operations is finished or a day old, for "
              + intent.id(),
          null);
    }
    String token = nextToken();
    entries.put(intent.id(), new Entry(intent, token));
    return new Claim.Granted(token, false, false, intent.terms().window());
  }

  private boolean forgetOne() {
    long nowNanos = ticker.getAsLong();
    Iterator<Entry> oldest = entries.values().iterator();
    while (oldest.hasNext()) {
      Entry entry = oldest.next();
      if (entry.isForgettable(nowNanos)) {
        bytes -= entry.bytes();
        oldest.remove();
        return true;
      }
    }
    return false;
  }

  // The operations themselves stay known, so they are not begun again.
  private void forgetAnswers() {
    for (Entry oldest : entries.values()) {
      if (bytes <= MOST_BYTES) {
        return;
      }
      bytes -= oldest.bytes();
      oldest.answer = null;
    }
  }

  private String nextToken() {
    return Long.toString(++claims);
  }

  private Claim claim(Entry known, Intent intent) throws RefusedException {
    if (known.state == State.CLOSED) {
      entries.remove(intent.id()); // nothing happened, so another request may have its name
      return begin(intent);
    }
    if (!known.fingerprint.equals(intent.fingerprint())) {
      return new Claim.OtherRequest(known.request, known.state);
    }
    return switch (known.state) {
      case SUCCEEDED, FAILED -> new Claim.Finished(known.state, known.caller, known.answer);
      case UNKNOWN -> new Claim.Unknown();
      case READY -> repeat(known, intent);
      case IN_FLIGHT, CLOSED -> new Claim.InFlight();
      case PARKED, CANCELLED -> new Claim.Stopped(known.state);
    };
  }

  private Claim repeat(Entry known, Intent intent) {
    if (!known.terms.sameKey(intent.terms())) {
      return new Claim.Unknown(); // under another key, the server would process it once more
    }
    Duration left = Duration.ofNanos(Math.max(0, known.windowEndsNanos - ticker.getAsLong()));
    if (left.isZero()) {
      known.state = State.UNKNOWN;
      return new Claim.Unknown();
    }
    known.state = State.IN_FLIGHT;
    known.token = nextToken();
    return new Claim.Granted(known.token, true, false, left);
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) {
    lock.lock();
    try {
      Entry known = held(intent, claim);
      if (known == null) {
        return false;
      }
      Duration window = known.terms.window();
      if (!known.sent && window != null) {
        known.windowEndsNanos = ticker.getAsLong() + window.toNanos();
      }
      known.sent = true;
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) {
    lock.lock();
    try {
      Entry known = held(intent, claim);
      if (known == null) {
        return false;
      }
      known.state = ending.state();
      known.answer = ending.answer();
      known.token = "";
      known.endedNanos = ticker.getAsLong();
      bytes += known.bytes();
      forgetAnswers();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Entry held(Intent intent, Claim.Granted claim) {
    Entry known = entries.get(intent.id());
    return known != null && known.token.equals(claim.token()) ? known : null;
  }

  @Override
  public String toString() {
    return "OperationJournal.inMemory(" + most + ")";
  }
}
