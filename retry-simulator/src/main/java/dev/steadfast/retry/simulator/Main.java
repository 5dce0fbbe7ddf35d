package dev.steadfast.retry.simulator;

import java.io.Console;
import java.lang.reflect.Method;
import java.util.List;

/** Shows what a retry policy does to a server. {@code --help} tells how. */
public final class Main {
  private Main() {}

  /**
   * Runs a scenario and exits: with 0, or with 2 if the input is bad.
   *
   * @param words a scenario and its options
   */
  public static void main(String[] words) {
    Progress progress = new Progress(System.err, terminal());
    System.exit(new CommandLine(System.out, System.err, progress).run(List.of(words)));
  }

  // JDK 22 and newer return a console without a terminal too. Its isTerminal() tells.
  @SuppressWarnings("SystemConsoleNull")
  private static boolean terminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      Method asked = Console.class.getMethod("isTerminal");
      return Boolean.TRUE.equals(asked.invoke(console));
    } catch (NoSuchMethodException before22) {
      return true;
    } catch (ReflectiveOperationException unknown) {
      return false;
    }
  }
}
