/** Meters of operations, attempts, waits and budgets in a Micrometer registry. */
@NullMarked
package dev.steadfast.retry.micrometer;

import org.jspecify.annotations.NullMarked;
