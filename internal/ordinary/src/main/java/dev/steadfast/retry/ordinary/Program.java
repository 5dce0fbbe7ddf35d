package dev.steadfast.retry.ordinary;

/**
 * What a user's code does with a client.
 *
 * @param <C> {@link Client}, or the one of a library
 */
@FunctionalInterface
public interface Program<C> {
  /** Uses the client; an exception that escapes is noted as what the caller got. */
  void run(C client) throws Exception;
}
