/** Carries out journaled operations, and keeps them in the memory of this process. */
@NullMarked
package dev.steadfast.retry.operations;

import org.jspecify.annotations.NullMarked;
