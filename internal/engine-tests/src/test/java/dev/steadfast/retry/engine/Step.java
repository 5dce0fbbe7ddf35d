package dev.steadfast.retry.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What one attempt of scripted work does: it takes a time, then fails or gives a value. */
record Step(Duration took, @Nullable Object value, @Nullable Throwable thrown) {

  static Step gives(@Nullable Object value) {
    return new Step(Duration.ZERO, value, null);
  }

  static Step fails(Throwable thrown) {
    return new Step(Duration.ZERO, null, thrown);
  }

  Step after(Duration time) {
    return new Step(time, value, thrown);
  }
}
