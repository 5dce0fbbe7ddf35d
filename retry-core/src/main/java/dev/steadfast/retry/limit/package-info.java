/** Guards that adapt the load to what a server can bear. */
@Incubating
@NullMarked
package dev.steadfast.retry.limit;

import dev.steadfast.retry.Incubating;
import org.jspecify.annotations.NullMarked;
