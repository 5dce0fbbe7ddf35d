package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Draws;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.Vectors;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One deadline over attempts and waits, from which each attempt's timeout is cut. */
class DeadlineVectorsTest {
  static Stream<Vectors.Vector> vectors() {
    return Vectors.group("deadline_budget");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void aRetryMustFit_andGetsWhatRemains(Vectors.Vector vector) {
    JsonObject in = vector.input();
    RetryPolicy.Builder policy =
        RetryPolicy.builder()
            .totalTimeout(millis(in, "remainingMillis"))
            .backoff(Backoff.fixed(millis(in, "backoffMillis")));
    if (in.has("minAttemptMillis")) {
      policy.minimumAttempt(millis(in, "minAttemptMillis"));
    }
    if (in.has("attemptTimeoutMillis")) {
      policy.attemptTimeout(millis(in, "attemptTimeoutMillis"));
    }
    RetryState state = RetryState.of(policy.build(), new LoggedAccount(1), Draws.lowest());
    Course course = new Course(state, 0, Long.MAX_VALUE).attempts("fail");

    boolean retries = vector.expected().get("retry").getAsBoolean();
    assertEquals(!retries, state.stopped(), course.trace());
    if (retries) {
      assertEquals(
          millis(vector.expected(), "attemptTimeoutMillis"),
          Duration.ofNanos(
              Math.min(state.ownTimeoutNanos(2), state.remainingNanos(course.nowNanos()))));
    } else {
      assertEquals("stop deadline", course.trace());
    }
  }

  private static Duration millis(JsonObject object, String name) {
    return Duration.ofMillis(object.get(name).getAsLong());
  }
}
