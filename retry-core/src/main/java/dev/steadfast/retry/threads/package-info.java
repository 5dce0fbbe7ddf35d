/** The library's own threads and timers. For Steadfast's own modules; not part of the API. */
@NullMarked
package dev.steadfast.retry.threads;

import org.jspecify.annotations.NullMarked;

// Why it is like this: docs/decisions/threads-and-timers.md
