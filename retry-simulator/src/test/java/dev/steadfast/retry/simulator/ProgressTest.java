package dev.steadfast.retry.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProgressTest {
  private static final List<String> OUTAGE =
      List.of("outage", "--runs", "1", "--horizon", "60s", "--capacity", "10");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private void run(boolean terminal) {
    PrintStream errors = new PrintStream(err, true, UTF_8);
    Progress progress = new Progress(errors, terminal);
    CommandLine command = new CommandLine(new PrintStream(out, true, UTF_8), errors, progress);
    assertEquals(0, command.run(OUTAGE));
  }

  @Test
  void aTerminalShowsHowFarASingleRunIs() {
    run(true);
    String shown = err.toString(UTF_8);
    for (int percent : new int[] {0, 12, 50, 99, 100}) {
      assertTrue(shown.contains("outage " + percent + " %"), shown);
    }
    assertTrue(shown.endsWith("\r\033[K"), "the line is gone at the end");
    assertFalse(shown.contains("\n"), shown);
  }

  @Test
  void aPipeGetsResultsAlone() {
    run(false);
    assertEquals("", err.toString(UTF_8));
    assertTrue(out.toString(UTF_8).contains("\noutage policy=none "));
    assertFalse(out.toString(UTF_8).contains("\033"));
  }
}
