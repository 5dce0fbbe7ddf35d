package dev.steadfast.retry.simulator;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Reads what was typed, runs it, and writes what came of it. */
final class CommandLine {
  static final int OK = 0;
  static final int BAD_INPUT = 2;

  private static final List<Scenario> SCENARIOS =
      List.of(new Contention(), new Layers(), new Outage(), new Herd(), new Delays(), new Quota());
  private static final List<Option> OUTPUT = List.of(Option.CSV, Option.HTML, Option.SVG);

  private final PrintStream out;
  private final PrintStream err;
  private final Progress progress;

  CommandLine(PrintStream out, PrintStream err, Progress progress) {
    this.out = out;
    this.err = err;
    this.progress = progress;
  }

  /** Returns the exit code. */
  int run(List<String> words) {
    try {
      runOrThrow(words);
      return OK;
    } catch (BadInputException bad) {
      return refuse(bad.getMessage());
    } catch (OutOfMemoryError tooLarge) {
      return refuse("too much is under way for the memory (expected: less of it, or java -Xmx)");
    } finally {
      out.flush();
    }
  }

  private int refuse(String why) {
    progress.end();
    // One line, whatever was typed.
    err.println("simulator: " + why.replaceAll("[\\p{Cntrl}\u0085\u2028\u2029]", "?"));
    return BAD_INPUT;
  }

  private void runOrThrow(List<String> words) {
    boolean help = words.contains("--help") || words.contains("-h");
    String name = words.isEmpty() ? "" : words.get(0);
    if (words.isEmpty() || (help && words.size() == 1)) {
      out.print(help());
      return;
    }
    boolean tour = name.equals("tour");
    List<Option> options = tour ? Tour.OPTIONS : offered(scenario(name));
    if (help) {
      out.print(
          help(
              name,
              tour
                  ? "runs all scenarios, and writes a report with charts"
                  : scenario(name).summary(),
              options));
      return;
    }
    Arguments arguments = Arguments.parse(words.subList(1, words.size()), options);
    Output output = Output.of(arguments);
    List<Report.Section> sections =
        tour ? tour(arguments) : List.of(one(words, scenario(name), arguments));
    progress.end();
    output.write(sections);
    if (tour) {
      sections.forEach(section -> out.println(section.result().summary()));
      out.println("Report: " + output.html().orElseThrow());
    } else {
      sections.forEach(section -> out.println(section.result().text()));
    }
  }

  private static Scenario scenario(String name) {
    Optional<Scenario> found =
        SCENARIOS.stream().filter(scenario -> scenario.name().equals(name)).findFirst();
    return found.orElseThrow(
        () -> BadInputException.of("scenario", "\"" + name + "\"", names() + "; or --help"));
  }

  private static String names() {
    return SCENARIOS.stream().map(Scenario::name).collect(Collectors.joining(", ")) + ", tour";
  }

  private static List<Option> offered(Scenario scenario) {
    List<Option> offered = new ArrayList<>(scenario.options());
    offered.addAll(OUTPUT);
    return offered;
  }

  private List<Report.Section> tour(Arguments arguments) {
    int runs = arguments.integer("runs", 1, 1000);
    long seed = arguments.seed();
    List<Report.Section> sections = new ArrayList<>();
    for (List<String> words : Tour.commands(runs)) {
      List<String> seeded = new ArrayList<>(words);
      seeded.addAll(List.of("--seed", Long.toString(seed)));
      Scenario scenario = scenario(words.get(0));
      List<String> rest = seeded.subList(1, seeded.size());
      sections.add(one(seeded, scenario, Arguments.parse(rest, offered(scenario))));
    }
    return sections;
  }

  private Report.Section one(List<String> words, Scenario scenario, Arguments arguments) {
    return new Report.Section(typed(words), scenario.run(arguments, progress));
  }

  // The command without the places for output, which are not what was run.
  private static String typed(List<String> words) {
    StringJoiner typed = new StringJoiner(" ").add(words.get(0));
    for (int i = 1; i + 1 < words.size(); i += 2) {
      String name = words.get(i).substring(2);
      if (OUTPUT.stream().noneMatch(option -> option.name().equals(name))) {
        String value = words.get(i + 1);
        boolean plain = value.matches("[A-Za-z0-9.,_/=-]+");
        typed.add(words.get(i)).add(plain ? value : '"' + value + '"');
      }
    }
    return typed.toString();
  }

  private static String help() {
    StringBuilder help =
        new StringBuilder(
            """
            Shows what a retry policy does to a server, in virtual time.

              java -jar simulator.jar <scenario> [--option value]
              java -jar simulator.jar outage --policy "maxAttempts=4; backoff=full(100ms..10s)"

            Scenarios:
            """);
    SCENARIOS.forEach(
        each -> help.append(Text.column(each.name(), 12)).append(each.summary()).append('\n'));
    return help.append(Text.column("tour", 12))
        .append("all of them; writes a report with charts\n\n")
        .append("<scenario> --help lists its options.\n")
        .toString();
  }

  private static String help(String name, String summary, List<Option> options) {
    StringBuilder help = new StringBuilder(name + ": " + summary + "\n\n");
    for (Option option : options) {
      help.append(Text.column("--" + option.name(), 17)).append(option.help());
      help.append(option.fallback().isEmpty() ? "" : " [" + option.fallback() + "]").append('\n');
    }
    return help.toString();
  }

  /** Text in columns. */
  private static final class Text {
    static String column(String text, int width) {
      return "  " + text + " ".repeat(Math.max(1, width - text.length()));
    }
  }
}
