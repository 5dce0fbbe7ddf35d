package dev.steadfast.retry.ordinary;

/** The operations that programs for all libraries use. */
public sealed interface Client permits OkClient, JdkClient, ApacheClient, ApacheAsyncClient {
  /** The run that this client is made for. */
  Run run();

  /**
   * Sends a request, reads the answer and notes all of it.
   *
   * @param body the text of the body, empty for none
   * @param headers lines such as {@code Accept: text/plain}
   */
  void send(String method, String path, String body, String... headers) throws Exception;

  /** Sends a GET, reads the answer and notes all of it. */
  default void get(String path, String... headers) throws Exception {
    send("GET", path, "", headers);
  }
}
