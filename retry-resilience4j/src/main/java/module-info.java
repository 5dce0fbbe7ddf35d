/** Circuit breakers and bulkheads of resilience4j as guards of attempts. */
module dev.steadfast.retry.resilience4j {
  requires transitive dev.steadfast.retry;
  requires transitive io.github.resilience4j.bulkhead;
  requires transitive io.github.resilience4j.circuitbreaker;
  requires transitive io.github.resilience4j.core;
  requires transitive io.github.resilience4j.retry;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.steadfast.retry.resilience4j;
}
