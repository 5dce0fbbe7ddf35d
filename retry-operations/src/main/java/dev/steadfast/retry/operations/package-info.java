/** Carries out journaled operations, and keeps them in the memory of this process. */
@Incubating
@NullMarked
package dev.steadfast.retry.operations;

import dev.steadfast.retry.Incubating;
import org.jspecify.annotations.NullMarked;
