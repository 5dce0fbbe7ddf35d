/**
 * Filters for servers: each opens a {@link dev.steadfast.retry.scope.RetryScope} for an inbound
 * request, so that what the client said of retries, deadline and key reaches the outbound calls.
 */
@NullMarked
package dev.steadfast.retry.server;

import org.jspecify.annotations.NullMarked;
