/**
 * The types that users configure and get back: {@link dev.steadfast.retry.RetryPolicy}, {@link
 * dev.steadfast.retry.Backoff}, {@link dev.steadfast.retry.RetryBudget}, {@link
 * dev.steadfast.retry.Guard}, {@link dev.steadfast.retry.RetryListener}, {@link
 * dev.steadfast.retry.RetryReport}, and {@link dev.steadfast.retry.Retrier} for work that is not
 * HTTP.
 *
 * <p>Nothing in this package reads a clock, draws a random number or starts a thread by itself. All
 * of that comes from one {@link dev.steadfast.retry.RetryEnvironment}, which tests replace.
 */
@NullMarked
package dev.steadfast.retry;

import org.jspecify.annotations.NullMarked;
