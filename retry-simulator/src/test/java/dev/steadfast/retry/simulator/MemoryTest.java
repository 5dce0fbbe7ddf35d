package dev.steadfast.retry.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process of its own with a small heap: what does not fit is kept for too long. */
@Tag("laboratory")
final class MemoryTest {
  // Twice what a quarter of an hour of the storm needs, and far less than its two and a half
  // million attempts would, if anything of them were kept.
  private static final String HEAP = "-Xmx32m";
  private static final String STORM =
      "outage --horizon 900s --runs 1 --policy"
          + " maxAttempts=4;backoff=full(100ms..10s);totalTimeout=none --budget none";

  private record Ran(int code, String out) {}

  private static Ran run(String words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(HEAP, "-cp", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.addAll(List.of(words.split(" ")));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ran(process.waitFor(), out);
  }

  @Test
  void aStormTakesNoMoreMemoryTheLongerItLasts() throws Exception {
    Ran ran = run(STORM);
    assertEquals(0, ran.code(), ran.out());
    assertTrue(ran.out().contains(" recovery=never "), ran.out());
  }

  @Test
  void moreThanTheMemoryHoldsIsBadInput() throws Exception {
    Ran ran = run(STORM + " --timeout 1h --capacity 10000");
    assertEquals(2, ran.code(), ran.out());
    assertTrue(ran.out().contains("simulator: too much is under way for the memory"), ran.out());
    assertEquals(0, ran.out().lines().filter(line -> line.contains("\tat ")).count(), ran.out());
  }
}
