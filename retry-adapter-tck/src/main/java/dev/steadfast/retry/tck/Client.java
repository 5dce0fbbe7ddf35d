package dev.steadfast.retry.tck;

import java.net.URI;
import java.util.List;

/** A client under test, in words that all clients share. It carries out one call at a time. */
public interface Client extends AutoCloseable {

  /**
   * Carries out a call, reads the whole body of its answer, and returns what the caller got.
   * Whether an exception has the class and message that it must have is checked here, where the
   * client is known.
   *
   * @param uri where the call goes
   * @param call the call
   * @param onHead to be run once, when the caller's own code first sees the answer
   * @return a response, or the exception that the caller got
   * @throws Exception if the test itself fails, which fails the row
   */
  ScenarioOutcome call(URI uri, HttpCall call, Runnable onHead) throws Exception;

  /** Cancels the call under way, in the way of this client; may come from any thread. */
  void cancel();

  /**
   * The values of a header of a request that a listener was shown.
   *
   * @param request what {@code Attempt.begin} was given
   * @param name the name, in any case
   * @return the values in order, none if it is absent
   */
  List<String> headerValues(Object request, String name);

  /**
   * Sends a GET past the library, over the same connections, and returns the status.
   *
   * @param uri where the GET goes
   * @return the status
   * @throws Exception if it fails
   */
  int plainGet(URI uri) throws Exception;

  /**
   * Closes idle connections and idle threads, and nothing that is in use: so a leak shows. Can be
   * repeated.
   *
   * @return false if this client has no such operation
   */
  boolean closeIdle();

  /** Closes whatever is left. */
  @Override
  void close();
}
