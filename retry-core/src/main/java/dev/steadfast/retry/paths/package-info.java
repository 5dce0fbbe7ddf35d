/**
 * Knowledge of connections that died in silence, and the way that an attempt takes instead. Only
 * Steadfast's own adapters use it; it is not part of the API.
 */
@NullMarked
package dev.steadfast.retry.paths;

import org.jspecify.annotations.NullMarked;

// Why it is like this: docs/decisions/dead-connections.md
