/** The table: ordinary programs of both clients, by subject. */
@NullMarked
package dev.steadfast.retry.ordinary.rows;

import org.jspecify.annotations.NullMarked;
