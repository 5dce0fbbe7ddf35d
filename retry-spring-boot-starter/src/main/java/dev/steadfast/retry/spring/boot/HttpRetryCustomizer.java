package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.HttpRetry;

/**
 * Changes the configuration of clients beyond what properties say: listeners, rules, guards, the
 * context of asynchronous calls. Each bean of this type is called once for each client, after its
 * properties were applied, in the order of the beans.
 *
 * <pre>{@code
 * @Bean
 * HttpRetryCustomizer audit(AuditListener listener) {
 *   return (client, retry) -> retry.listener(listener);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface HttpRetryCustomizer {

  /**
   * Changes the configuration of a client.
   *
   * @param client the name of the client
   * @param retry its configuration so far
   */
  void customize(String client, HttpRetry.Builder retry);
}
