package dev.steadfast.retry.tck;

import dev.steadfast.retry.http.HttpRetry;
import java.util.Set;

/**
 * A way in which callers use an adapter, such as a blocking call or a call with a callback.
 * Implemented by the adapter's tests. Used by one thread at a time.
 */
public interface EntryPoint {

  /**
   * The name in the names of tests and in golden files.
   *
   * @return a short text without commas, the same each time; golden files separate names by a comma
   */
  String name();

  /**
   * The traits of its client. The rows take them into account.
   *
   * @return the traits, the same each time
   */
  Set<Trait> traits();

  /**
   * How many timers run while a call waits for its next attempt, when no attempt is under way.
   *
   * @return 1 by default
   */
  default int timersInWait() {
    return 1;
  }

  /**
   * Opens a client of its own. It speaks HTTP/1.1 and does not follow redirects.
   *
   * @param retry the configuration of the row
   * @return a new client, which the table closes
   */
  Client open(HttpRetry retry);

  /**
   * Whether its client can make such a call at all. Some know no PATCH, others send no body with a
   * GET.
   *
   * @param call a call of a row
   * @return true by default; false skips the rows with such a call
   */
  default boolean canSend(HttpCall call) {
    return true;
  }

  /**
   * Whether its client can go on by itself within an attempt.
   *
   * @return false by default: rows with {@link Follows} are skipped
   */
  default boolean canFollow() {
    return false;
  }

  /**
   * Opens a client that goes on by itself. Called with something to follow only if {@link
   * #canFollow} is true.
   *
   * @param retry the configuration of the row
   * @param follows what the client goes on with
   * @return a new client
   * @throws UnsupportedOperationException by default, if there is something to follow
   */
  default Client open(HttpRetry retry, Follows follows) {
    if (follows == Follows.NOTHING) {
      return open(retry);
    }
    throw new UnsupportedOperationException(name() + " follows nothing");
  }

  /**
   * Whether code of the user's can stand within the attempts, as an interceptor does.
   *
   * @return false by default: rows with {@link Interference} are skipped
   */
  default boolean takesInterceptors() {
    return false;
  }

  /**
   * Opens a client with code of the user's in it. Called with such code only if {@link
   * #takesInterceptors} is true.
   *
   * @param retry the configuration of the row
   * @param interference what the code does
   * @return a new client
   * @throws UnsupportedOperationException by default, if there is such code
   */
  default Client open(HttpRetry retry, Interference interference) {
    if (interference == Interference.NONE) {
      return open(retry);
    }
    throw new UnsupportedOperationException(name() + " takes no interceptors");
  }
}
