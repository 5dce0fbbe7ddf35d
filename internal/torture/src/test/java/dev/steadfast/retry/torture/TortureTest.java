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

/** Half a minute of the proof, and the same with something broken, which the checker must see. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TortureTest {
  private static final long SEED = 7;

  private static Verdict run(Break broken, double minutes) throws Exception {
    return run(new Settings(SEED, minutes, broken, Engine.JOURNAL));
  }

  private static Verdict run(Settings settings) throws Exception {
    String name = "test-" + settings.broken() + "-" + System.nanoTime();
    return Torture.run(settings, Path.of("target", "torture", name));
  }

  private static String printed(Verdict verdict) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    verdict.print(new PrintStream(text, true, StandardCharsets.UTF_8));
    return text.toString(StandardCharsets.UTF_8);
  }

  @Test
  void nothingIsDoneTwiceNothingIsLostAndNothingIsSaidWrongly() throws Exception {
    Verdict verdict = run(Break.NONE, 0.5);
    assertTrue(verdict.holds(), () -> printed(verdict));
  }

  @Test
  @EnabledForJreRange(minVersion = 25)
  void norWhenDbSchedulerDelivers() throws Exception {
    Verdict verdict = run(new Settings(SEED, 0.5, Break.NONE, Engine.DB_SCHEDULER));
    assertTrue(verdict.holds(), () -> printed(verdict));
  }

  // Once is enough to show that the checker can fail, so on one JDK.
  @Test
  @EnabledForJreRange(minVersion = 25)
  void whatIsDoneTwiceIsSeen() throws Exception {
    Verdict verdict = run(Break.LATE_FIRST_SENT, 0.25);
    assertTrue(verdict.count(Finding.Kind.DUPLICATE) > 0, () -> printed(verdict));
  }

  @Test
  @EnabledForJreRange(minVersion = 25)
  void whatIsLostIsSeen() throws Exception {
    Verdict verdict = run(Break.NO_JOURNAL, 0.1);
    assertTrue(verdict.count(Finding.Kind.LOST) > 0, () -> printed(verdict));
  }
}
