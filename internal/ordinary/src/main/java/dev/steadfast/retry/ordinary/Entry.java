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
  SEND_ASYNC(Way.SEND_ASYNC),
  /** {@code Apache5Retry.addTo}, {@code execute} of the classic client. */
  CLASSIC(Way.CLASSIC),
  /** {@code Apache5Retry.addTo}, {@code execute} of the asynchronous client. */
  ASYNC(Way.ASYNC);

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
    EXECUTE(Library.OKHTTP),
    /** {@code okhttp3.Call.enqueue}. */
    ENQUEUE(Library.OKHTTP),
    /** {@code java.net.http.HttpClient.send}. */
    SEND(Library.JDK),
    /** {@code java.net.http.HttpClient.sendAsync}. */
    SEND_ASYNC(Library.JDK),
    /** {@code execute} of Apache HttpClient 5, classic. */
    CLASSIC(Library.APACHE),
    /** {@code execute} of Apache HttpClient 5, asynchronous. */
    ASYNC(Library.APACHE_ASYNC);

    private final Library library;

    Way(Library library) {
      this.library = library;
    }

    /** The library that this method belongs to. */
    public Library library() {
      return library;
    }

    /** Whether this waits for the answer. */
    public boolean blocking() {
      return this == EXECUTE || this == SEND || this == CLASSIC;
    }
  }

  /** A client library. */
  public enum Library {
    /** OkHttp. */
    OKHTTP,
    /** {@code java.net.http}. */
    JDK,
    /** Apache HttpClient 5. */
    APACHE,
    /** The asynchronous client of Apache HttpClient 5. */
    APACHE_ASYNC
  }
}
