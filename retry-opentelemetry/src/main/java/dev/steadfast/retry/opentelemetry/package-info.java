/** Spans of attempts and operations for OpenTelemetry. */
@NullMarked
package dev.steadfast.retry.opentelemetry;

import org.jspecify.annotations.NullMarked;
