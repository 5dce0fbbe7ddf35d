/**
 * Requests that take effect once because the server compares a version or a token: read, change and
 * write with {@code If-Match}; fetch a token and use it.
 */
@Incubating
@NullMarked
package dev.steadfast.retry.effects;

import dev.steadfast.retry.Incubating;
import org.jspecify.annotations.NullMarked;
