package dev.steadfast.retry.scenarios;

import dev.steadfast.retry.http.HttpRetry;

/** A way into the library, as the scenario table uses it; implemented by the adapters' tests. */
public interface EntryPoint {

  /** Which of the five it is; what a row says of its differences refers to this. */
  Via via();

  /** The name in the names of tests. */
  default String name() {
    return via().toString();
  }

  /** How many timers run while a call waits for its next attempt, when no attempt is under way. */
  default int timersInWait() {
    return 1;
  }

  /** Opens a client of its own: HTTP/1.1, and redirects are not followed. */
  Client open(HttpRetry retry);

  /** Whether its client can go on by itself within an attempt. */
  default boolean canFollow() {
    return false;
  }

  /** Opens such a client that goes on by itself. */
  default Client open(HttpRetry retry, Follows follows) {
    if (follows == Follows.NOTHING) {
      return open(retry);
    }
    throw new UnsupportedOperationException(name() + " follows nothing");
  }

  /** Whether code of the user's can stand within the attempts, as OkHttp's interceptors do. */
  default boolean takesInterceptors() {
    return false;
  }

  /** Opens such a client with code of the user's in it. */
  default Client open(HttpRetry retry, Interference interference) {
    if (interference == Interference.NONE) {
      return open(retry);
    }
    throw new UnsupportedOperationException(name() + " takes no interceptors");
  }
}
