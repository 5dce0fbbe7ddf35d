package dev.steadfast.retry.sdks;

import okhttp3.OkHttpClient;

/** The timeouts that a client has when an SDK sends through it. */
final class Timeouts {
  private volatile int readMillis;

  /** Adds an interceptor that looks. */
  OkHttpClient.Builder in(OkHttpClient.Builder builder) {
    return builder.addInterceptor(chain -> {
      readMillis = chain.readTimeoutMillis();
      return chain.proceed(chain.request());
    });
  }

  int readMillis() {
    return readMillis;
  }
}
