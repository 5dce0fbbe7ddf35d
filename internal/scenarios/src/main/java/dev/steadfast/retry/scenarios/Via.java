package dev.steadfast.retry.scenarios;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** The five ways into the library. */
public enum Via {
  /** {@code Call.execute} of a call from {@code RetryingCallFactory}. */
  OKHTTP_EXECUTE("OkHttp execute"),
  /** {@code Call.enqueue} of a call from {@code RetryingCallFactory}. */
  OKHTTP_ENQUEUE("OkHttp enqueue"),
  /** A client with {@code RetryInterceptor}. */
  OKHTTP_INTERCEPTOR("OkHttp interceptor"),
  /** {@code RetryingHttpClient.send}. */
  JDK_SEND("JDK send"),
  /** {@code RetryingHttpClient.sendAsync}. */
  JDK_SEND_ASYNC("JDK sendAsync");

  static final Set<Via> OKHTTP = set(OKHTTP_EXECUTE, OKHTTP_ENQUEUE, OKHTTP_INTERCEPTOR);
  static final Set<Via> JDK = set(JDK_SEND, JDK_SEND_ASYNC);
  static final Set<Via> ASYNC = set(OKHTTP_ENQUEUE, JDK_SEND_ASYNC);

  private final String text;

  Via(String text) {
    this.text = text;
  }

  static Set<Via> set(Via first, Via... others) {
    return Collections.unmodifiableSet(EnumSet.of(first, others));
  }

  @Override
  public String toString() {
    return text;
  }
}
