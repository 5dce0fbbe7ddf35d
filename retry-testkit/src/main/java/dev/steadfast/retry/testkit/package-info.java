/** Virtual time for tests of code that retries: exact delays, no sleeping. */
@NullMarked
package dev.steadfast.retry.testkit;

import org.jspecify.annotations.NullMarked;
