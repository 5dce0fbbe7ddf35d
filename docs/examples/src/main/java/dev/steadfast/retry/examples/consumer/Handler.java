package dev.steadfast.retry.examples.consumer;

import java.io.IOException;
import java.util.Optional;

/** Does what a message asks for. */
@FunctionalInterface
interface Handler {
  /**
   * Handles a message, perhaps not for the first time.
   *
   * @return the outcome; empty if it is not known, so that the message has to come again
   * @throws IOException if it is not known either
   */
  Optional<String> handle(Message message) throws IOException, InterruptedException;
}
