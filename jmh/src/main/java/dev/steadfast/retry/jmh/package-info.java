/** Benchmarks: what the library costs, beside its peers and beside the least that is possible. */
@NullMarked
package dev.steadfast.retry.jmh;

import org.jspecify.annotations.NullMarked;
