/**
 * What users configure and the machine that decides: policy, backoff, budget, verdict, state,
 * decision, report, listener, and {@link dev.steadfast.retry.Retrier} for work that is not HTTP.
 *
 * <p>Nothing in this package reads a clock, draws a random number or starts a thread on its own:
 * all of that comes from one {@link dev.steadfast.retry.RetryEnvironment}.
 */
@NullMarked
package dev.steadfast.retry;

import org.jspecify.annotations.NullMarked;
