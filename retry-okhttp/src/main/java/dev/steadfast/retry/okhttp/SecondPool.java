package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.paths.DeadPaths;
import dev.steadfast.retry.paths.PathChoice;
import dev.steadfast.retry.paths.WirePath;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * A second pool of connections, which the attempts of one client take where the usual connection is
 * silent. Empty unless that happens. Safe for use by many threads.
 */
final class SecondPool {
  private static final int MOST_IDLE = 5;
  private static final long KEEP_SECONDS = 5;
  private static final long LOOK_AGAIN_NANOS = 2_000_000;

  private final DeadPaths paths;
  private final ConnectionPool pool = new ConnectionPool(MOST_IDLE, KEEP_SECONDS, TimeUnit.SECONDS);

  private SecondPool(DeadPaths paths) {
    this.paths = paths;
  }

  /** The other pool of one client, null if attempts stay where they are. */
  static @Nullable SecondPool of(HttpRetry retry) {
    return retry.leavesDeadConnections() ? new SecondPool(new DeadPaths(retry.plan())) : null;
  }

  ConnectionPool pool() {
    return pool;
  }

  /**
   * Chooses the pool for an attempt.
   *
   * @param lost where the attempt before it was silent, null for none
   * @return null for the client's own pool, else the step to take first
   */
  PathChoice.@Nullable Step choose(
      HttpOperation operation, Attempt<?> attempt, @Nullable WirePath lost) {
    boolean safe = operation.safety() != Safety.UNSAFE;
    PathChoice choice = paths.choose(operation.info(), safe, lost);
    if (choice == null) {
      return null;
    }
    attempt.takes(choice.why());
    if (choice.step() == PathChoice.Step.OPEN) {
      pool.evictAll(); // closes idle connections only
    }
    return choice.step();
  }

  /**
   * Waits until another attempt has opened a connection. This takes no longer than to open one, and
   * the thread would wait for that too.
   */
  void awaitOpened(HttpOperation operation, Call call) {
    LongSupplier ticker = operation.plan().environment().ticker();
    long since = ticker.getAsLong();
    while (!call.isCanceled()
        && !Thread.currentThread().isInterrupted()
        && paths.opening(operation.info(), since)) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  /** Whether the client keeps the connection after a timeout, because others may use it. */
  static boolean keptAfterTimeout(Connection connection) {
    Protocol protocol = connection.protocol();
    return protocol == Protocol.HTTP_2 || protocol == Protocol.H2_PRIOR_KNOWLEDGE;
  }

  /** A request goes out on a connection of this pool. */
  void opened(OperationInfo info) {
    paths.otherOpened(info);
  }

  /** Something came on a connection. */
  void alive(OperationInfo info, WirePath path, boolean other) {
    paths.alive(info, path, other);
  }

  /** An attempt has timed out. Returns whether the next one of its operation goes another way. */
  boolean silent(OperationInfo info, WirePath path, int life, boolean other) {
    return paths.silent(info, path, life, other);
  }

  /** An attempt has timed out before a connection of this pool was there: silence, too. */
  void silentWhileConnecting(OperationInfo info) {
    WirePath none = new WirePath();
    paths.silent(info, none, none.life(), true);
  }

  /** A connection of this pool could not be made, and never can if the server refuses it. */
  void notMade(OperationInfo info, boolean refused) {
    paths.otherFailed(info, refused);
  }
}
