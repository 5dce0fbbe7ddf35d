/** Used by Steadfast's own modules only; not part of the API. */
@NullMarked
package dev.steadfast.retry.internal;

import org.jspecify.annotations.NullMarked;
