/** An application of Spring Boot whose client retries, and its run beside a server with faults. */
@NullMarked
package dev.steadfast.retry.examples.springboot;

import org.jspecify.annotations.NullMarked;
