package dev.steadfast.retry.ordinary;

/** The ways into a wrapped client. */
public enum Entry implements Scope {
  /** {@code RetryingCallFactory}, {@code execute}. */
  FACTORY_EXECUTE(Way.EXECUTE),
  /** {@code RetryingCallFactory}, {@code enqueue}. */
  FACTORY_ENQUEUE(Way.ENQUEUE),
  /** {@code RetryInterceptor}, {@code execute}. */
  INTERCEPTOR_EXECUTE(Way.EXECUTE),
  /** {@code RetryInterceptor}, {@code enqueue}. */
  INTERCEPTOR_ENQUEUE(Way.ENQUEUE),
  /** {@code RetryingHttpClient.send}. */
  SEND(Way.SEND),
  /** {@code RetryingHttpClient.sendAsync}. */
  SEND_ASYNC(Way.SEND_ASYNC);

  private final Way way;

  Entry(Way way) {
    this.way = way;
  }

  /** The method of the plain client that this entry point is compared with. */
  public Way way() {
    return way;
  }

  boolean interceptor() {
    return this == INTERCEPTOR_EXECUTE || this == INTERCEPTOR_ENQUEUE;
  }

  /** A method of a plain client. */
  public enum Way {
    /** {@code okhttp3.Call.execute}. */
    EXECUTE,
    /** {@code okhttp3.Call.enqueue}. */
    ENQUEUE,
    /** {@code java.net.http.HttpClient.send}. */
    SEND,
    /** {@code java.net.http.HttpClient.sendAsync}. */
    SEND_ASYNC;

    /** Whether this is a method of OkHttp. */
    public boolean okHttp() {
      return this == EXECUTE || this == ENQUEUE;
    }

    /** Whether this waits for the answer. */
    public boolean blocking() {
      return this == EXECUTE || this == SEND;
    }
  }
}
