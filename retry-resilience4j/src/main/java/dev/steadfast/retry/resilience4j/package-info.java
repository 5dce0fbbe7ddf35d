/**
 * Breakers and bulkheads of resilience4j as guards, and Steadfast's policies for resilience4j's own
 * decorators. The only package that needs resilience4j: its circuit breaker, bulkhead and retry
 * artifacts are optional dependencies that users bring.
 */
@NullMarked
package dev.steadfast.retry.resilience4j;

import org.jspecify.annotations.NullMarked;
