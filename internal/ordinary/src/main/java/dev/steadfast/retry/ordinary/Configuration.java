package dev.steadfast.retry.ordinary;

/**
 * Sets up the plain client, which is then used as it is, or wrapped.
 *
 * @param <B> the builder of the client
 */
@FunctionalInterface
public interface Configuration<B> {
  /** Changes the builder. */
  void apply(B builder, Run run) throws Exception;
}
