package dev.steadfast.retry.http;

import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Checks;
import java.util.Set;

/**
 * Says what the outcome of an attempt means. The built-in one is {@link StandardRules}; replace it
 * to teach the library the habits of a server. Implementations are shared and safe for use by many
 * threads; what they throw ends the operation.
 *
 * <p>Whether the request may be sent again is decided afterwards, by what went over the wire: a
 * verdict to retry never repeats a request that may have taken effect and is not safe to repeat,
 * unless it {@linkplain Verdict.Retryable#withNothingDone() claims} that the server did nothing.
 */
public interface HttpClassifier {

  /**
   * The meaning of an answer.
   *
   * @param operation the operation
   * @param response the head of the answer
   * @param signals what the answer says about retrying; the library adds its server delay, and its
   *     word not to retry, to a verdict to retry
   * @return the verdict
   */
  Verdict onResponse(OperationView operation, ResponseView response, Signals signals);

  /**
   * The statuses of the answers whose body {@link #onResponse} reads by {@link
   * ResponseView#bodyText}. Asked once, when a configuration is built. The bodies of streams are
   * never read. A classifier that passes on to another one should pass this on too.
   *
   * <p>If 200 is among them, an answer of that status with the type {@code text/event-stream} is
   * judged only when its first event is there, and {@link ResponseView#errorEvent} tells if that is
   * an error. Comments, {@code ping}, {@code message_start}, {@code response.created}, {@code
   * response.queued} and {@code response.in_progress} do not count as the first event. An answer is
   * judged by its head if its first 64 KiB or its whole stream has no event. Other bodies of the
   * status 200 are not read.
   *
   * @return statuses from 400 to 599, and 200; none by default
   */
  default Set<Integer> readsBodyOf() {
    return Set.of();
  }

  /**
   * The meaning of a failure.
   *
   * @param operation the operation
   * @param failure what went wrong
   * @return the verdict
   */
  Verdict onFailure(OperationView operation, TransportFailure failure);

  /**
   * The knowledge of a classifier about the operation. Immutable.
   *
   * @param request the request
   * @param keyed whether it carries an idempotency key
   */
  record OperationView(RequestView request, boolean keyed) {
    /**
     * Checks that nothing is missing.
     *
     * @throws NullPointerException if the request is null
     */
    public OperationView {
      Checks.notNull("request", request);
    }

    /** Method, origin and path: what logs may show. */
    String label() {
      return Origins.label(request);
    }

    // The view of a client's request may print its headers, and with them the key.
    @Override
    public String toString() {
      return label() + " keyed=" + keyed;
    }
  }
}
