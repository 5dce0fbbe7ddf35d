/** Renders the results of a run into docs/benchmarks.md. */
@NullMarked
package dev.steadfast.retry.jmh.report;

import org.jspecify.annotations.NullMarked;
