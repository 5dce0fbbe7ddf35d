/**
 * A proof by attack: clients and a server in processes of their own, two databases, and faults at
 * every point where an operation can be lost or doubled. {@link
 * dev.steadfast.retry.torture.Torture} runs it, {@link dev.steadfast.retry.torture.Checker} judges
 * what it leaves behind.
 */
package dev.steadfast.retry.torture;
