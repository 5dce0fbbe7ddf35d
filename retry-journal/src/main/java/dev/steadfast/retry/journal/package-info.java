/** Keeps operations in PostgreSQL, so that they survive the process that began them. */
@NullMarked
package dev.steadfast.retry.journal;

import org.jspecify.annotations.NullMarked;
