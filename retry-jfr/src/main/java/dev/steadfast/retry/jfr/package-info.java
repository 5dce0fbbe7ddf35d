/** Operations, attempts and waits as events of the JDK Flight Recorder. */
@NullMarked
package dev.steadfast.retry.jfr;

import org.jspecify.annotations.NullMarked;
