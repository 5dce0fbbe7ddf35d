package dev.steadfast.retry.journal.cli;

import java.io.PrintStream;
import java.nio.charset.Charset;

/** Shows and changes the operations of a journal: {@code java -jar ... journal help}. */
public final class Main {
  private Main() {}

  /**
   * Runs one command and ends the process.
   *
   * @param arguments the command
   */
  public static void main(String[] arguments) {
    PrintStream out = new PrintStream(System.out, false, Charset.defaultCharset());
    int status = new CommandLine(new Output(out, System.err), System.getenv()).run(arguments);
    out.flush();
    System.exit(status);
  }
}
