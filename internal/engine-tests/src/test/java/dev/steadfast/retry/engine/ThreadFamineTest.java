package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A process that really cannot make threads for four seconds: its address space is limited to
 * little more than it has, which is less than the stack of another thread. The JVM itself needs
 * some of that room, and dies where it gets none, so room and stacks are large. Needs Linux and
 * {@code prlimit}.
 */
class ThreadFamineTest {
  private static final Pattern SIZE = Pattern.compile("VmSize:\\s+(\\d+) kB");
  private static final long ROOM = 128 << 20; // for memory that is no stack
  private static final int STACK_MIB = 256;

  @Test
  void everyOperationEnds_whenNoThreadCanBeMadeForAWhile() throws Exception {
    assumeTrue(canLimit(), "prlimit is not here, so threads cannot be taken away");
    ExecutorService atTheSameTime = Executors.newCachedThreadPool();
    try {
      Future<String> cold = atTheSameTime.submit(() -> famine("cold"));
      Future<String> timer = atTheSameTime.submit(() -> famine("timer"));
      Future<String> hot = atTheSameTime.submit(() -> famine("hot"));
      assertAllEnded("cold", cold.get());
      assertAllEnded("timer", timer.get());
      assertAllEnded("hot", hot.get());
    } finally {
      atTheSameTime.shutdownNow();
    }
  }

  private static void assertAllEnded(String start, String report) {
    System.out.println("JDK " + Runtime.version().feature() + ", " + start + ": " + report);
    int begun = start.equals("cold") ? 1_201 : 1_801;
    assertTrue(report.startsWith(begun + " begun, "), report);
    assertTrue(report.contains(" 0 missing, 0 ended twice;"), report);
    // Where the library has no thread that could try again, it says so at once.
    assertEquals(!start.equals("cold"), report.contains(" 0 refused,"), report);
  }

  private static boolean canLimit() {
    try {
      return Files.isReadable(Path.of("/proc/self/status"))
          && new ProcessBuilder("prlimit", "--version").start().waitFor() == 0;
    } catch (IOException | InterruptedException none) {
      return false;
    }
  }

  private static String famine(String start) throws IOException, InterruptedException {
    ProcessBuilder java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xss" + STACK_MIB + "m",
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UseDynamicNumberOfCompilerThreads",
                "-Xlog:disable",
                "-cp",
                System.getProperty("java.class.path"),
                ThreadFamine.class.getName(),
                start)
            .redirectErrorStream(true);
    // Each thread that allocates would else reserve half of the room for itself.
    java.environment().put("MALLOC_ARENA_MAX", "1");
    Process child = java.start();
    try (BufferedReader says =
            new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        OutputStream commands = child.getOutputStream()) {
      expect("limit", says);
      limit(child, Long.toString(size(child) + ROOM));
      proceed(commands);
      expect("threads fail: true", says);
      expect("free", says);
      limit(child, "unlimited");
      proceed(commands);
      expect("threads fail: false", says);
      return String.valueOf(says.readLine());
    } finally {
      child.destroyForcibly();
    }
  }

  private static void expect(String line, BufferedReader says) throws IOException {
    StringBuilder heard = new StringBuilder();
    for (String each = says.readLine(); each != null; each = says.readLine()) {
      heard.append(each).append('\n');
      if (each.equals(line)) {
        return;
      }
    }
    throw new AssertionError("expected: " + line + ", heard:\n" + heard);
  }

  private static void proceed(OutputStream commands) throws IOException {
    commands.write('\n');
    commands.flush();
  }

  private static long size(Process process) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    Matcher matcher = SIZE.matcher(Files.readString(status));
    assertTrue(matcher.find());
    return Long.parseLong(matcher.group(1)) << 10;
  }

  /** The soft limit, which a process may raise again. */
  private static void limit(Process process, String bytes)
      throws IOException, InterruptedException {
    Process prlimit =
        new ProcessBuilder("prlimit", "--pid", "" + process.pid(), "--as=" + bytes + ":").start();
    assertEquals(0, prlimit.waitFor());
  }
}
