/**
 * Retries for OkHttp 4.12 and 5: {@link dev.steadfast.retry.okhttp.RetryingCallFactory}, which
 * holds no thread while it waits, and {@link dev.steadfast.retry.okhttp.RetryInterceptor} for SDKs
 * that take nothing but a client.
 */
@NullMarked
package dev.steadfast.retry.okhttp;

import org.jspecify.annotations.NullMarked;
