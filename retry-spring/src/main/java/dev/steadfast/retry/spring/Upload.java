package dev.steadfast.retry.spring;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A request under way whose body the calling thread writes.
 *
 * @param body takes the body and fails when the client wants no more of it; closed at its end
 * @param answer the answer, or the failure of the request
 * @param cancel ends the request
 */
record Upload(OutputStream body, CompletableFuture<SpringAnswer> answer, Runnable cancel) {

  /** Waits for the answer. */
  SpringAnswer await() throws IOException {
    try {
      return answer.get();
    } catch (InterruptedException interrupted) {
      abort();
      throw Wire.interrupted(interrupted);
    } catch (CancellationException cancelled) {
      throw new IOException("Request cancelled", cancelled);
    } catch (ExecutionException failed) {
      throw unwrapped(failed);
    }
  }

  /** Ends the request; an answer that comes nevertheless is closed. */
  void abort() {
    cancel.run();
    answer.thenAccept(SpringAnswer::close);
  }

  private static IOException unwrapped(ExecutionException failed) {
    Throwable cause = failed.getCause();
    if (cause instanceof RuntimeException thrown) {
      throw thrown;
    }
    if (cause instanceof Error thrown) {
      throw thrown;
    }
    return cause instanceof IOException thrown ? thrown : new IOException(cause);
  }
}
