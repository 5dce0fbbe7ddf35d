/** Retries for OkHttp: a call factory and an interceptor. Runs on OkHttp 4 and 5. */
module dev.steadfast.retry.okhttp {
  requires transitive dev.steadfast.retry;
  requires kotlin.stdlib;
  requires transitive okhttp3;
  requires okio;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.okhttp;
}
