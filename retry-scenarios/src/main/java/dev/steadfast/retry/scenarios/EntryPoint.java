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
}
