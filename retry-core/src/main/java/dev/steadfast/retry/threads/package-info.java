/**
 * The library's own threads and timers. Only Steadfast's own modules use it; it is not part of the
 * API.
 */
@NullMarked
package dev.steadfast.retry.threads;

import org.jspecify.annotations.NullMarked;

// Why it is like this: docs/decisions/threads-and-timers.md
