/**
 * The retry engine, for authors of adapters. Users never import it.
 *
 * <p>An adapter implements {@link dev.steadfast.retry.engine.RetryTransport}: how an attempt is
 * started, and what came of it, as an {@link dev.steadfast.retry.engine.Outcome}. {@link
 * dev.steadfast.retry.engine.RetryLoop} drives the attempts, and alone decides on them.
 */
@NullMarked
package dev.steadfast.retry.engine;

import org.jspecify.annotations.NullMarked;

// Why it is like this: docs/decisions/packages.md
