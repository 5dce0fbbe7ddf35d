package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.JdbcJournal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

/** Runs a command and returns its exit status. */
final class CommandLine {
  /** It is done, or it would be done. */
  static final int DONE = 0;

  /** The journal refused it, or there is no such operation. Nothing was changed. */
  static final int REFUSED = 1;

  /** The command cannot be understood. Nothing was changed. */
  static final int USAGE = 2;

  /** The database failed. */
  static final int DATABASE = 3;

  private static final Map<String, String> HINTS =
      Map.of(
          "42P01",
          "\nthere is no journal in this database, or its --schema or --table-prefix differs",
          "42703",
          "\nthis jar is newer than the tables: take the one of the application's version");
  private static final String DATA_EXCEPTION = "22000";

  private final Output output;
  private final Map<String, String> environment;

  CommandLine(Output output, Map<String, String> environment) {
    this.output = output;
    this.environment = environment;
  }

  int run(String... words) {
    try {
      Arguments arguments = new Arguments(afterName(words));
      if (arguments.words().isEmpty() || arguments.words().get(0).equals("help")) {
        output.result().print(help());
        return DONE;
      }
      JdbcJournal journal = Database.journal(arguments, environment);
      return new Commands(journal, arguments, output.result()).run();
    } catch (UsageException | IllegalArgumentException wrong) {
      output.error().println(wrong.getMessage());
      output.error().println("'journal help' lists commands and options");
      return USAGE;
    } catch (IOException failed) {
      output.error().println(text(failed));
      return DATABASE;
    }
  }

  private static String[] afterName(String... words) throws UsageException {
    if (words.length == 0) {
      return words;
    }
    if (!words[0].equals("journal")) {
      throw UsageException.bad("first word", words[0], "journal");
    }
    return Arrays.copyOfRange(words, 1, words.length);
  }

  private static String text(IOException failed) {
    if (!(failed.getCause() instanceof SQLException sql)) {
      return String.valueOf(failed.getMessage());
    }
    String hint = HINTS.getOrDefault(String.valueOf(sql.getSQLState()), "");
    return failed.getMessage() + ": " + sql.getMessage() + hint;
  }

  /** Whether one row cannot be read, because a codec encoded it or because it is damaged. */
  static boolean isUnreadable(IOException failed) {
    return failed.getCause() instanceof SQLException sql
        && DATA_EXCEPTION.equals(sql.getSQLState());
  }

  private static String help() {
    try (InputStream in = CommandLine.class.getResourceAsStream("help.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
