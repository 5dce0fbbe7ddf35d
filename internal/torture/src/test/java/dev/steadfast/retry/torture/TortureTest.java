package dev.steadfast.retry.torture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** Half a minute of the proof. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TortureTest {
  private static final long SEED = 7;

  static Verdict run(Settings settings) throws Exception {
    String name = "test-" + settings.broken() + "-" + System.nanoTime();
    return Torture.run(settings, Path.of("target", "torture", name));
  }

  static String printed(Verdict verdict) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    verdict.print(new PrintStream(text, true, StandardCharsets.UTF_8));
    return text.toString(StandardCharsets.UTF_8);
  }

  @Test
  void nothingIsDoneTwiceNothingIsLostAndNothingIsSaidWrongly() throws Exception {
    Verdict verdict = run(new Settings(SEED, 0.5, Break.NONE, Engine.JOURNAL));
    assertTrue(verdict.holds(), () -> printed(verdict));
  }

  @Test
  @EnabledForJreRange(minVersion = 25)
  void norWhenDbSchedulerDelivers() throws Exception {
    Verdict verdict = run(new Settings(SEED, 0.5, Break.NONE, Engine.DB_SCHEDULER));
    assertTrue(verdict.holds(), () -> printed(verdict));
  }
}
