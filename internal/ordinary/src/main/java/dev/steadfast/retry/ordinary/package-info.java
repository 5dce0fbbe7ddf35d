/**
 * Ordinary programs, each run with a plain client and with a wrapped one. On a server without
 * faults both must behave alike: what the server receives and what the caller gets are compared.
 *
 * <p>A row of the table is a name, a server, and a program:
 *
 * <pre>{@code
 * Row.named("POST with a text body")
 *     .server(() -> WireServer.start(exchange -> exchange.reply(201, "made")))
 *     .program(client -> client.send("POST", "/orders", "{}", "Content-Type: application/json"))
 * }</pre>
 *
 * <p>{@link dev.steadfast.retry.ordinary.Row#program} takes a program for both clients, {@link
 * dev.steadfast.retry.ordinary.Row#okHttp(dev.steadfast.retry.ordinary.Program)} and {@link
 * dev.steadfast.retry.ordinary.Row#jdk(dev.steadfast.retry.ordinary.Program)} one for a client
 * alone. Each runs through every {@link dev.steadfast.retry.ordinary.Entry} and with every {@link
 * dev.steadfast.retry.ordinary.Policy} of the row. A program that uses a library on top of the
 * client notes what the caller sees with {@link dev.steadfast.retry.ordinary.Run#note}.
 *
 * <p>A difference on purpose is declared with {@link
 * dev.steadfast.retry.ordinary.Row#differs(String, String, dev.steadfast.retry.ordinary.Scope...)}.
 * A defect that waits for its mend is marked with {@link
 * dev.steadfast.retry.ordinary.Row#knownDefect(String, dev.steadfast.retry.ordinary.Scope...)}.
 * Both fail when what they declare no longer happens. Another module runs rows of its own with
 * {@link dev.steadfast.retry.ordinary.RowTests#of}.
 */
@NullMarked
package dev.steadfast.retry.ordinary;

import org.jspecify.annotations.NullMarked;
