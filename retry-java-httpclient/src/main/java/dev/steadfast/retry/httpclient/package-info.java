/** Retries for {@code java.net.http}: a client that wraps a client. */
@NullMarked
package dev.steadfast.retry.httpclient;

import org.jspecify.annotations.NullMarked;
