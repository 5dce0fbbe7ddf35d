/**
 * Retry policies, budgets, limits and the engine that makes attempts, HTTP semantics, idempotency
 * keys, and the scope of an inbound request. Knows no HTTP client.
 *
 * <p>{@link dev.steadfast.retry.engine} is for authors of adapters.
 */
@SuppressWarnings("module") // the modules that use the bridges are compiled after this one
module dev.steadfast.retry {
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry;
  exports dev.steadfast.retry.engine;
  exports dev.steadfast.retry.http;
  exports dev.steadfast.retry.limit;
  exports dev.steadfast.retry.scope;
  exports dev.steadfast.retry.internal to
      dev.steadfast.retry.apache5,
      dev.steadfast.retry.effects,
      dev.steadfast.retry.httpclient,
      dev.steadfast.retry.jfr,
      dev.steadfast.retry.micrometer,
      dev.steadfast.retry.okhttp,
      dev.steadfast.retry.opentelemetry,
      dev.steadfast.retry.operations,
      dev.steadfast.retry.resilience4j,
      dev.steadfast.retry.server,
      dev.steadfast.retry.spring,
      dev.steadfast.retry.tck,
      dev.steadfast.retry.testkit;
  exports dev.steadfast.retry.http.journal to
      dev.steadfast.retry.operations;
  exports dev.steadfast.retry.paths to
      dev.steadfast.retry.httpclient,
      dev.steadfast.retry.okhttp;
  exports dev.steadfast.retry.threads to
      dev.steadfast.retry.apache5,
      dev.steadfast.retry.httpclient,
      dev.steadfast.retry.okhttp,
      dev.steadfast.retry.spring,
      dev.steadfast.retry.testkit;

  uses dev.steadfast.retry.http.journal.JournalService;
}
