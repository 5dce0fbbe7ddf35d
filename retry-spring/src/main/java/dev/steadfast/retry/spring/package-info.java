/**
 * Request factories for Spring's {@code RestClient} and {@code RestTemplate} whose requests are
 * retried, for Spring Framework 6.2 and 7. Start with {@link
 * dev.steadfast.retry.spring.RetryingJdkRequestFactory}, {@link
 * dev.steadfast.retry.spring.RetryingOkHttpRequestFactory} or {@link
 * dev.steadfast.retry.spring.RetryingApacheRequestFactory}.
 */
@NullMarked
package dev.steadfast.retry.spring;

import org.jspecify.annotations.NullMarked;
