/**
 * What is known of connections that died in silence, and which way an attempt takes instead. For
 * Steadfast's own adapters; not part of the API.
 */
@NullMarked
package dev.steadfast.retry.paths;

import org.jspecify.annotations.NullMarked;

// Why it is like this: docs/decisions/dead-connections.md
