/**
 * What retrying means for HTTP, without any client: classification, hints, signals, idempotency
 * keys, options and the operation that adapters drive.
 */
@NullMarked
package dev.steadfast.retry.http;

import org.jspecify.annotations.NullMarked;
