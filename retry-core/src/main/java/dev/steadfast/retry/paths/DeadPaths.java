package dev.steadfast.retry.paths;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.internal.OriginTable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths of the attempts of one client: over its usual connections, or over another one if
 * nothing comes on those any more. A client keeps a connection of HTTP/2 after a timeout, and the
 * next attempt would go into it, however dead it is. An adapter reports what it sees of connections
 * that carry several requests at once; only this class draws conclusions. It never says whether an
 * attempt is made.
 *
 * <p>Bounded in its number of origins. As long as nothing is suspected, a question costs one read.
 * Safe for use by many threads.
 */
public final class DeadPaths {
  // Why it is like this: docs/decisions/dead-connections.md
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private static final long MOST_WAIT_NANOS = 1_000_000_000L;

  private final RetryPlan plan;
  private final LongSupplier ticker;
  private final AtomicInteger uneasy = new AtomicInteger(); // how many origins are
  private final OriginTable<OriginPaths> origins =
      new OriginTable<>(
          new OriginTable.Values<>() {
            @Override
            public OriginPaths create(String origin, boolean fresh) {
              return new OriginPaths();
            }

            @Override
            public boolean forgettable(OriginPaths paths, boolean used) {
              return !used && !isUneasy(paths);
            }
          });

  /** The connections of one client, of which nothing is known yet. */
  public DeadPaths(RetryPlan plan) {
    this.plan = plan;
    this.ticker = plan.environment().ticker();
  }

  /**
   * The usual connections to an origin, for clients that do not show which one they use: always the
   * same object, as long as the origin is remembered.
   */
  public WirePath usual(String origin) {
    return origins.get(origin).usual;
  }

  /** The other connection to an origin, for clients that do not show which one they use. */
  public WirePath other(String origin) {
    return origins.get(origin).other;
  }

  /**
   * Which way the next attempt goes.
   *
   * @param safe whether the attempt could be repeated if it were lost
   * @param lost where the attempt before it was silent, as {@link #silent} has said; null for none
   * @return null for the usual way
   */
  public @Nullable PathChoice choose(OperationInfo info, boolean safe, @Nullable WirePath lost) {
    if (uneasy.get() == 0) {
      return null;
    }
    OriginPaths paths = origins.find(info.origin());
    if (paths == null) {
      return null;
    }
    return ask(paths, now -> paths.choose(safe, lost, now));
  }

  /**
   * Whether an attempt that was told to wait still has to: until the other connection is there or
   * cannot be made, and for a second at most.
   *
   * @param sinceNanos when it began to wait, by the clock of the plan
   */
  public boolean opening(OperationInfo info, long sinceNanos) {
    OriginPaths paths = origins.find(info.origin());
    return paths != null
        && ask(paths, now -> now - sinceNanos < MOST_WAIT_NANOS && paths.opening(now));
  }

  /**
   * Something came: a response head, or a byte of a body.
   *
   * @param other whether it is another one than the usual
   */
  public void alive(OperationInfo info, WirePath path, boolean other) {
    path.alive();
    if (uneasy.get() == 0) {
      return;
    }
    OriginPaths paths = origins.find(info.origin());
    if (paths == null) {
      return;
    }
    tell(info, ask(paths, now -> other ? paths.otherAlive(now) : paths.alive(path, now)));
  }

  /**
   * An attempt has timed out with its request written and without a response head.
   *
   * @param life what {@link WirePath#life} was when the request went out
   * @param other whether the connection is another one than the usual
   * @return whether the next attempt of the operation goes another way
   */
  public boolean silent(OperationInfo info, WirePath path, int life, boolean other) {
    if (path.life() != life) {
      return false;
    }
    OriginPaths paths = origins.get(info.origin());
    if (other) {
      change(paths, paths::otherSilent);
      return false;
    }
    tell(info, ask(paths, now -> paths.silent(path, now)));
    return ask(paths, now -> paths.suspects(path));
  }

  /** The other connection is there, and no answer has come on it yet. Not all clients show it. */
  public void otherOpened(OperationInfo info) {
    OriginPaths paths = origins.get(info.origin());
    change(paths, paths::otherOpened);
  }

  /**
   * The other connection could not be made.
   *
   * @param never whether it never can, as with TLS or a protocol that is refused: then the origin
   *     is left alone
   */
  public void otherFailed(OperationInfo info, boolean never) {
    OriginPaths paths = origins.get(info.origin());
    change(paths, now -> paths.otherFailed(never, now));
  }

  private void change(OriginPaths paths, LongConsumer change) {
    ask(
        paths,
        now -> {
          change.accept(now);
          return true;
        });
  }

  /** Asks with the time, under the lock of the origin; and counts if its unease has changed. */
  private <T extends @Nullable Object> T ask(OriginPaths paths, LongFunction<T> question) {
    long now = ticker.getAsLong();
    paths.lock.lock();
    try {
      boolean before = paths.uneasy();
      T answer = question.apply(now);
      boolean after = paths.uneasy();
      if (before != after) {
        uneasy.addAndGet(after ? 1 : -1);
      }
      return answer;
    } finally {
      paths.lock.unlock();
    }
  }

  private static boolean isUneasy(OriginPaths paths) {
    paths.lock.lock();
    try {
      return paths.uneasy();
    } finally {
      paths.lock.unlock();
    }
  }

  private void tell(OperationInfo info, @Nullable PathEvent event) {
    if (event == null) {
      return;
    }
    switch (event) {
      case SUSPECTED -> LOG.debug("{}: its connection is silent", info);
      case CONFIRMED ->
          LOG.info("{}: its connection is dead; for 30 s attempts take another one", info);
      case RETURNED -> LOG.info("{}: its connection answers again", info);
    }
    plan.tellPath(info, event);
  }

  @Override
  public String toString() {
    return "DeadPaths(" + origins + ")";
  }
}
