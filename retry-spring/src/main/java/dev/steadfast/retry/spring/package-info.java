/**
 * Request factories for Spring's {@code RestClient} and {@code RestTemplate} whose requests are
 * retried, for Spring Framework 6.2 and 7. Start with {@link
 * dev.steadfast.retry.spring.RetryingJdkRequestFactory} or {@link
 * dev.steadfast.retry.spring.RetryingOkHttpRequestFactory}.
 */
@NullMarked
package dev.steadfast.retry.spring;

import org.jspecify.annotations.NullMarked;
