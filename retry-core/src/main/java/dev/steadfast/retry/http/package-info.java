/**
 * The meaning of retrying for HTTP, without any client: classification, server delays, signals,
 * idempotency keys, options and the operation that adapters drive.
 */
@NullMarked
package dev.steadfast.retry.http;

import org.jspecify.annotations.NullMarked;
