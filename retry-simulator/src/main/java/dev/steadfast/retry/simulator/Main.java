package dev.steadfast.retry.simulator;

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
    boolean terminal = System.console() != null && System.getenv("TERM") != null;
    Progress progress = new Progress(System.err, terminal);
    System.exit(new CommandLine(System.out, System.err, progress).run(List.of(words)));
  }
}
