/** Guards that adapt the load to what a server can bear. */
@NullMarked
package dev.steadfast.retry.limit;

import org.jspecify.annotations.NullMarked;
