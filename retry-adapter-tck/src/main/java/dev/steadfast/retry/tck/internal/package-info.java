/** Parts that the tests of this library use beside the table. */
@NullMarked
package dev.steadfast.retry.tck.internal;

import org.jspecify.annotations.NullMarked;
