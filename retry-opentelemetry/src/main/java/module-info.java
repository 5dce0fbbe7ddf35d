/** Spans of attempts and operations for OpenTelemetry. */
module dev.steadfast.retry.opentelemetry {
  requires transitive dev.steadfast.retry;
  requires transitive io.opentelemetry.api;
  requires transitive io.opentelemetry.context;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.opentelemetry;
}
