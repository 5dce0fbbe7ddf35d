/** Keeps operations in PostgreSQL, so that they survive the process that began them. */
@Incubating
@NullMarked
package dev.steadfast.retry.journal;

import dev.steadfast.retry.Incubating;
import org.jspecify.annotations.NullMarked;
