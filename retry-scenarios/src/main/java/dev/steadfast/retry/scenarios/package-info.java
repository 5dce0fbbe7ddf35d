/**
 * A scripted HTTP/1.1 server whose faults are chosen by the test: {@link
 * dev.steadfast.retry.scenarios.ScriptedServer} answers every request with the next {@link
 * dev.steadfast.retry.scenarios.Reply} and keeps what it {@link
 * dev.steadfast.retry.scenarios.Received received}; {@link
 * dev.steadfast.retry.scenarios.RefusedPort} is a server that is not there.
 *
 * <p>It works on raw sockets because the faults that matter to a retry library (FIN, RST, silence,
 * half an answer) are below what a well-behaved HTTP server can be told to do.
 */
package dev.steadfast.retry.scenarios;
