/**
 * Programs that run for minutes, and measure: a soak with faults, streamed bodies, and deadlines
 * beside user code that blocks.
 */
package dev.steadfast.retry.soak;
