/**
 * Retries for Apache HttpClient 5. Begin with {@link dev.steadfast.retry.apache5.Apache5Retry},
 * which adds them to the builder of a client.
 */
@NullMarked
package dev.steadfast.retry.apache5;

import org.jspecify.annotations.NullMarked;
