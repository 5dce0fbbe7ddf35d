package dev.steadfast.retry.jmh;

import com.github.mizosoft.methanol.RetryInterceptor.BackoffStrategy;
import com.github.mizosoft.methanol.RetryInterceptor.Context;
import com.twitter.util.Duration$;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryEnvironment;
import io.github.resilience4j.core.IntervalFunction;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Delays of one operation, of this library and of its peers, all from 100 ms to 20 s. What a peer
 * needs besides its strategy is made once; what it makes for each delay is measured.
 */
final class Delays {
  static final int RETRIES = 8; // of an operation; the cap is reached with the last
  static final long BASE_MILLIS = 100;
  static final long CAP_MILLIS = 20_000;

  private static final Duration BASE = Duration.ofMillis(BASE_MILLIS);
  private static final Duration CAP = Duration.ofMillis(CAP_MILLIS);

  private Delays() {}

  /** The wait before a retry, from 1, given the wait before the last one. */
  @FunctionalInterface
  interface Source {
    long next(int retry, long previous);
  }

  static Source raw() {
    long[] bounds = bounds();
    return (retry, previous) -> ThreadLocalRandom.current().nextLong(bounds[retry]);
  }

  /** Full jitter as one would write it by hand if nothing else mattered. */
  static Source byHand() {
    long[] bounds = bounds();
    return (retry, previous) -> {
      long bits = ThreadLocalRandom.current().nextLong();
      return Math.multiplyHigh(bits >>> 1, bounds[retry] << 1);
    };
  }

  private static long[] bounds() {
    long[] bounds = new long[RETRIES + 1];
    for (int retry = 1; retry <= RETRIES; retry++) {
      long millis = Math.min(CAP_MILLIS, BASE_MILLIS << (retry - 1));
      bounds[retry] = Duration.ofMillis(millis).toNanos() + 1;
    }
    return bounds;
  }

  static Source steadfast(Backoff backoff) {
    LongSupplier random = RetryEnvironment.system().random();
    return (retry, previous) -> backoff.delayNanos(retry, previous, random);
  }

  static Source resilience4j() {
    IntervalFunction function = IntervalFunction.ofExponentialRandomBackoff(BASE, 2.0, 0.5, CAP);
    return (retry, previous) -> function.apply(retry);
  }

  static Source aws() {
    software.amazon.awssdk.retries.api.BackoffStrategy strategy =
        software.amazon.awssdk.retries.api.BackoffStrategy.exponentialDelay(BASE, CAP);
    return (retry, previous) -> strategy.computeDelay(retry).toNanos();
  }

  static Source armeria() {
    com.linecorp.armeria.client.retry.Backoff backoff =
        com.linecorp.armeria.client.retry.Backoff.exponential(BASE_MILLIS, CAP_MILLIS)
            .withJitter(-1.0, 0.0);
    return (retry, previous) -> backoff.nextDelayMillis(retry);
  }

  static Source methanol() {
    BackoffStrategy strategy = BackoffStrategy.exponential(BASE, CAP).withJitter();
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost/")).build();
    Context<?>[] contexts = new Context<?>[RETRIES + 1];
    for (int retry = 1; retry <= RETRIES; retry++) {
      contexts[retry] = Context.of(request, null, new IOException(), retry - 1);
    }
    return (retry, previous) -> strategy.backoff(contexts[retry]).toNanos();
  }

  /** One for each thread: its delays come from an execution that counts by itself. */
  static Source spring() {
    ExponentialBackOff backOff = new ExponentialBackOff(BASE_MILLIS, 2);
    backOff.setMaxInterval(CAP_MILLIS);
    backOff.setJitter(BASE_MILLIS);
    return new Source() {
      private BackOffExecution execution = backOff.start();

      @Override
      public long next(int retry, long previous) {
        if (retry == 1) {
          execution = backOff.start();
        }
        return execution.nextBackOff();
      }
    };
  }

  /**
   * One for each thread: a strategy is a list that is walked along. Decorrelated, because the
   * exponential jitter of Finagle 24.2.0 throws "bound must be positive" after some draws.
   */
  static Source finagle() {
    com.twitter.finagle.Backoff first =
        com.twitter.finagle.Backoff.decorrelatedJittered(
            Duration$.MODULE$.fromMilliseconds(BASE_MILLIS),
            Duration$.MODULE$.fromMilliseconds(CAP_MILLIS));
    return new Source() {
      private com.twitter.finagle.Backoff at = first;

      @Override
      public long next(int retry, long previous) {
        at = retry == 1 ? first : at.next();
        return at.duration().inNanoseconds();
      }
    };
  }
}
