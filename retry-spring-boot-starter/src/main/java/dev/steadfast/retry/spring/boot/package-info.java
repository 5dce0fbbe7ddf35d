/**
 * Retrying HTTP clients in Spring Boot 4, configured by the properties {@code steadfast.*}. The
 * bean {@link dev.steadfast.retry.spring.boot.SteadfastClients} has the clients.
 */
@NullMarked
package dev.steadfast.retry.spring.boot;

import org.jspecify.annotations.NullMarked;
