package dev.steadfast.retry.http;

import dev.steadfast.retry.Verdict;

/**
 * Says what the outcome of an attempt means. The built-in one is {@link StandardRules}; replace it
 * to teach the library the habits of a server. Implementations are shared and safe for use by many
 * threads; what they throw ends the operation.
 *
 * <p>Dangerous where {@link OperationView#replayable} is false: a verdict to retry then sends a
 * request again that may have taken effect.
 */
public interface HttpClassifier {

  /**
   * What an answer means.
   *
   * @param operation the operation
   * @param response the head of the answer
   * @param signals what the answer says about retrying; the hint and a stop are added to a verdict
   *     to retry by the library
   * @return the verdict
   */
  Verdict onResponse(OperationView operation, ResponseView response, Signals signals);

  /**
   * What a failure means.
   *
   * @param operation the operation
   * @param failure what went wrong
   * @return the verdict
   */
  Verdict onFailure(OperationView operation, TransportFailure failure);
}
