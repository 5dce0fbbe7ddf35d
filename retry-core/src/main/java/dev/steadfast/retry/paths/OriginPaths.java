package dev.steadfast.retry.paths;

import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.paths.PathChoice.Step;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The suspicions about the usual connection of one client to one origin, and what is known of the
 * other. Reads no clock and does no I/O. The caller holds its lock; nothing in it waits.
 *
 * <p>One silent attempt sends the next attempt of its operation over the other connection. If that
 * one answers and enough attempts were silent, the usual connection counts as dead, and all
 * attempts avoid it for a while. If the other one is silent too, the cause is the server, and both
 * are left alone.
 */
final class OriginPaths {
  private static final long SECOND = 1_000_000_000L;

  /** How long a dead connection is avoided; and how long a silent server is left alone. */
  static final long AVOIDED_NANOS = 30 * SECOND;

  /** How long an origin is left alone where the other connection cannot be made. */
  static final long LEFT_ALONE_NANOS = 600 * SECOND;

  /** The other connection is trusted for so long after its last sign of life. */
  static final long TRUSTED_NANOS = SECOND;

  private static final long SCOUT_NANOS = 10 * SECOND;
  private static final int PROOF = 2; // silent attempts

  // A server that is only slow has had attempts that looked silent, and has answered since. Then
  // more of them prove it, so that it is not avoided every time two slow answers come in a row.
  private static final int MOST_REFUTED = 2;
  private static final long REFUTED_NANOS = 600 * SECOND;

  final ReentrantLock lock = new ReentrantLock();
  final WirePath usual = new WirePath(); // for clients that do not show their connections
  final WirePath other = new WirePath();

  private @Nullable WirePath suspect;
  private int silences; // on the suspect, since it was last alive
  private boolean dead;
  private boolean probed; // since it is dead
  private long deadUntil;
  private boolean held;
  private long heldUntil;
  private boolean leftAlone; // held whatever comes on the usual connection
  private int refuted; // how often a suspect was alive after all
  private long refutedAt;

  private boolean open; // the other connection is there
  private long openedAt; // when it last was
  private boolean scouting; // an attempt opens it
  private long scoutUntil;
  private int otherSilences;

  /** Whether anything is known that makes an attempt ask which way to go. */
  boolean uneasy() {
    return suspect != null || held;
  }

  /**
   * Which way an attempt goes.
   *
   * @param safe whether it could be repeated if it were lost
   * @param lost the connection on which the attempt before it was silent, null for none
   * @return null for the usual one
   */
  @Nullable PathChoice choose(boolean safe, @Nullable WirePath lost, long now) {
    if (dead) {
      return avoid(safe && lost == null, now);
    }
    if (held && now - heldUntil >= 0) {
      held = false;
    }
    WirePath suspected = suspect;
    if (held || suspected == null) {
      return null;
    }
    boolean proof = silences >= proof(now); // only an answer on the other one is missing
    if (lost != suspected && !proof) {
      return null;
    }
    if (open && now - openedAt < TRUSTED_NANOS) {
      return new PathChoice(OtherPath.SILENT_CONNECTION, Step.GO);
    }
    if (opening(now)) {
      return new PathChoice(OtherPath.SILENT_CONNECTION, Step.AWAIT);
    }
    open = false;
    scouting = true;
    scoutUntil = now + SCOUT_NANOS;
    return new PathChoice(OtherPath.SILENT_CONNECTION, Step.OPEN);
  }

  /** Whether one attempt is opening the other connection, so that others need not. */
  boolean opening(long now) {
    return scouting && now - scoutUntil < 0;
  }

  private @Nullable PathChoice avoid(boolean mayProbe, long now) {
    if (mayProbe && now - deadUntil >= 0) {
      deadUntil = now + AVOIDED_NANOS; // one attempt looks whether it is still so
      probed = true;
      return null;
    }
    return new PathChoice(OtherPath.DEAD_CONNECTION, Step.GO);
  }

  private int proof(long now) {
    return PROOF + (refuted > 0 && now - refutedAt < REFUTED_NANOS ? refuted : 0);
  }

  /**
   * An attempt on a usual connection has timed out, and nothing came on it meanwhile.
   *
   * @return what is new, null for nothing
   */
  @Nullable PathEvent silent(WirePath path, long now) {
    if (held && now - heldUntil >= 0) {
      held = false;
    }
    if (held || dead) {
      return null;
    }
    if (path == suspect) {
      silences++;
      return null;
    }
    suspect = path;
    silences = 1;
    return PathEvent.SUSPECTED;
  }

  /** Whether the next attempt of an operation that was silent there goes another way. */
  boolean suspects(WirePath path) {
    return dead || path == suspect;
  }

  /** A usual connection was alive. */
  @Nullable PathEvent alive(WirePath path, long now) {
    boolean same = path == suspect;
    if (dead) {
      if (!same && !probed) {
        return null; // another one, which has been in use all the time
      }
      refute(same, now);
      return PathEvent.RETURNED;
    }
    held = held && leftAlone;
    if (same) {
      refute(true, now);
    }
    return null;
  }

  private void refute(boolean wasAlive, long now) {
    if (wasAlive) {
      refuted = Math.min(refuted + 1, MOST_REFUTED);
      refutedAt = now;
    }
    forget();
  }

  private void forget() {
    suspect = null;
    silences = 0;
    dead = false;
    probed = false;
    otherSilences = 0;
  }

  /** The other connection is there. */
  void otherOpened(long now) {
    open = true;
    openedAt = now;
    scouting = false;
  }

  /** The other connection was alive. */
  @Nullable PathEvent otherAlive(long now) {
    otherOpened(now);
    otherSilences = 0;
    if (dead || suspect == null || silences < proof(now)) {
      return null;
    }
    dead = true;
    probed = false;
    deadUntil = now + AVOIDED_NANOS;
    return PathEvent.CONFIRMED;
  }

  /** An attempt on the other connection has timed out, and nothing came on it meanwhile. */
  void otherSilent(long now) {
    scouting = false;
    if (!dead) {
      open = false;
      forget();
      hold(now + AVOIDED_NANOS, false);
      return;
    }
    otherSilences++;
    if (otherSilences >= PROOF) {
      dead = false; // one attempt finds out whether a new connection helps
      open = false;
      otherSilences = 0;
      silences = proof(now);
    }
  }

  /**
   * The other connection could not be made.
   *
   * @param never whether it never can, as with TLS or a protocol that is refused
   */
  void otherFailed(boolean never, long now) {
    scouting = false;
    if (never) {
      open = false;
      forget();
      hold(now + LEFT_ALONE_NANOS, true);
    }
  }

  private void hold(long until, boolean whateverComes) {
    held = true;
    leftAlone = whateverComes;
    heldUntil = until;
  }
}
