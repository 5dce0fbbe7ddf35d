package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.Oversight;
import dev.steadfast.retry.operations.OperationJournal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The words, options and flags of a command. Immutable. */
final class Arguments {
  private static final Set<String> OPTIONS =
      Set.of(
          "--url",
          "--user",
          "--schema",
          "--table-prefix",
          "--principal",
          "--limit",
          "--after",
          "--since");
  private static final Set<String> FLAGS = Set.of("--json", "--yes", "--body", "--force");

  private static final int MOST_LIMIT = 1_000;
  private static final Pattern TIME = Pattern.compile("(\\d{1,6})([smhd])");

  private final List<String> words = new ArrayList<>();
  private final Map<String, String> options = new HashMap<>();
  private final Set<String> flags = new HashSet<>();

  Arguments(String... arguments) throws UsageException {
    boolean onlyWords = false;
    for (int i = 0; i < arguments.length; i++) {
      String each = arguments[i];
      if (onlyWords || !each.startsWith("--")) {
        words.add(each);
      } else if (each.equals("--")) {
        onlyWords = true; // a key may begin with dashes
      } else if (FLAGS.contains(each)) {
        flags.add(each);
      } else if (!OPTIONS.contains(each)) {
        throw UsageException.bad("option", each, "one of those that 'journal help' lists");
      } else if (i + 1 == arguments.length) {
        throw UsageException.bad(each, "nothing", "a value");
      } else {
        options.put(each, arguments[++i]);
      }
    }
  }

  List<String> words() {
    return words;
  }

  boolean has(String flag) {
    return flags.contains(flag);
  }

  @Nullable String option(String name) {
    return options.get(name);
  }

  String option(String name, String otherwise) {
    return options.getOrDefault(name, otherwise);
  }

  /** The operation that the second and third word name. */
  OperationJournal.Id id() throws UsageException {
    if (words.size() < 3) {
      throw new UsageException("no operation (expected: its NAME and its KEY)");
    }
    return new OperationJournal.Id(words.get(1), option("--principal", ""), words.get(2));
  }

  int limit() throws UsageException {
    String text = option("--limit", "20");
    String expected = "1 to 1000";
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= MOST_LIMIT) {
        return limit;
      }
    } catch (NumberFormatException noNumber) {
      throw UsageException.bad("--limit", text, expected);
    }
    throw UsageException.bad("--limit", text, expected);
  }

  Oversight.@Nullable Position after() {
    String text = option("--after");
    return text == null ? null : Oversight.Position.valueOf(text);
  }

  static Duration time(String name, String text) throws UsageException {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw UsageException.bad(name, text, "0s or more, such as 90s, 10m, 12h or 30d");
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
