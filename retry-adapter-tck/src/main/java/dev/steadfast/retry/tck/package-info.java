/**
 * The scenario table, which every adapter for an HTTP client passes, and the scripted HTTP/1.1
 * server that it runs against.
 *
 * <p>Authors of adapters implement {@link dev.steadfast.retry.tck.EntryPoint} and {@link
 * dev.steadfast.retry.tck.Client} in their tests, and hand the entry points to {@link
 * dev.steadfast.retry.tck.ScenarioTests}. The rows themselves are not public.
 *
 * <h2>The table</h2>
 *
 * <p>A row has the configuration, the call, the actions, and the expected result:
 *
 * <pre>{@code
 * row("PUT, 409 + Retry-After then 200: in progress, so retried")
 *     .put("/a", "body")                                                       // the call
 *     .replies(status(409).header("Retry-After", "1"), status(200).body("ok")) // the server
 *     .answers(200, "ok")                                                      // what the caller gets
 *     .requests(2)                                                             // what the server got
 *     .trace(                                                                  // what listeners heard
 *         "attempt 1: 409 CONFLICT answered",
 *         "wait 1s server delay",
 *         "attempt 2: 200",
 *         "done ACCEPTED 2")
 * }</pre>
 *
 * <ul>
 *   <li>Where nothing else is said there are 3 attempts, waits of 100 ms and 200 ms without jitter,
 *       30 s in all, a budget that does not run dry, a guard that refuses nothing, and no keys.
 *       {@code policy} and {@code retry} change that.
 *   <li>Time is virtual. Waits end at once, and move it; {@code at(moment, action)} moves it by
 *       hand, cancels, interrupts, or lets a reply go on. Only the interceptor's attempts take real
 *       time to time out, and only then.
 *   <li>A trace has the number of an attempt with its status, the kind of its failure and how far
 *       its request got; the length of a wait with its reason; the reason of the end with the
 *       number of attempts. {@code retriedAfter} and {@code endsAfter} write the usual ones.
 *   <li>{@code differs(trait, reason, change)} names a {@link dev.steadfast.retry.tck.Trait} of
 *       clients that must give something else, and why; {@code notFor} names one for which the row
 *       makes no sense, so that it is skipped.
 *   <li>{@code follows} has the client go on by itself within an attempt: after a redirect, or
 *       after a challenge.
 *   <li>{@code interferes} puts code of the user's into the client: an interceptor within each
 *       attempt, or an authenticator.
 *   <li>{@code trap} refers to the list of defects in other libraries that this one was written
 *       against.
 * </ul>
 *
 * <p>These hold for all rows: every permit is answered once, every retry is paid for, reports
 * agree, the caller gets the last answer as the server gave it; and no timer, connection, body or
 * thread is left behind.
 *
 * <p>A row names what matters to it. A golden file, if the adapter has one, pins the rest of its
 * result for each entry point: see {@link dev.steadfast.retry.tck.ScenarioTests#golden}.
 *
 * <p>Features of one client (HTTP/2, TLS, caches, redirects to other origins) are tested by its
 * adapter, without the table.
 *
 * <h2>The server</h2>
 *
 * <p>{@link dev.steadfast.retry.tck.ScriptedServer} answers every request with the next {@link
 * dev.steadfast.retry.tck.Reply} and keeps what it {@link dev.steadfast.retry.tck.Received
 * received}; {@link dev.steadfast.retry.tck.RefusedPort} is a server that is not there. It works on
 * raw sockets because the faults that matter to a retry library (FIN, RST, silence, half an answer)
 * are below what a well-behaved HTTP server can be told to do.
 */
@Incubating
@NullMarked
package dev.steadfast.retry.tck;

import dev.steadfast.retry.Incubating;
import org.jspecify.annotations.NullMarked;
