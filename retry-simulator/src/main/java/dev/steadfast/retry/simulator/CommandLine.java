package dev.steadfast.retry.simulator;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
      List.of(new Contention(), new Layers(), new Outage(), new Herd(), new Delays(), new Hedge());
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
      progress.end();
      err.println("simulator: " + bad.getMessage());
      return BAD_INPUT;
    } finally {
      out.flush();
    }
  }

  private void runOrThrow(List<String> words) {
    boolean help = words.contains("--help") || words.contains("-h");
    String name = words.isEmpty() ? "" : words.get(0);
    if (help && words.size() == 1) {
      out.print(help());
      return;
    }
    boolean tour = name.equals("tour");
    List<Option> options = tour ? Tour.OPTIONS : offered(scenario(name));
    if (help) {
      out.print(help(name, tour ? "all scenarios" : scenario(name).summary(), options));
      return;
    }
    Arguments arguments = Arguments.parse(words.subList(1, words.size()), options);
    checkOutput(arguments, tour);
    List<Report.Section> sections =
        tour ? tour(arguments) : List.of(one(words, scenario(name), arguments));
    progress.end();
    sections.forEach(section -> out.println(section.result().text()));
    write(arguments, sections, tour);
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

  // Without the places for output, which are not what was run.
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

  // Before the work, so that a typing error does not cost a minute.
  private static void checkOutput(Arguments arguments, boolean tour) {
    for (String name : tour ? List.of("html") : List.of("csv", "html")) {
      if (arguments.has(name)) {
        Path file = path(name, arguments.text(name));
        try {
          Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
        } catch (IOException unwritable) {
          throw unwritable(name, file, unwritable);
        }
      }
    }
    if (arguments.has("svg")) {
      Path directory = path("svg", arguments.text("svg"));
      try {
        Files.createDirectories(directory);
      } catch (IOException unwritable) {
        throw unwritable("svg", directory, unwritable);
      }
    }
  }

  private static Path path(String name, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException invalid) {
      throw BadInputException.of("--" + name, text, "a path");
    }
  }

  private static BadInputException unwritable(String name, Path path, IOException why) {
    String kind = why.getClass().getSimpleName();
    return BadInputException.of("--" + name, path + ": " + kind, "a place that can be written");
  }

  private static void write(Arguments arguments, List<Report.Section> sections, boolean tour) {
    if (!tour && arguments.has("csv")) {
      write("csv", Path.of(arguments.text("csv")), sections.get(0).result().series().csv());
    }
    if (arguments.has("html")) {
      write("html", Path.of(arguments.text("html")), Report.of(sections));
    }
    if (arguments.has("svg")) {
      Path directory = Path.of(arguments.text("svg"));
      for (Report.Section section : sections) {
        for (Chart chart : section.result().charts()) {
          write("svg", directory.resolve(chart.name() + ".svg"), chart.wide());
        }
      }
    }
  }

  private static void write(String name, Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException unwritable) {
      throw unwritable(name, file, unwritable);
    }
  }

  private static String help() {
    StringBuilder help =
        new StringBuilder("java -jar simulator.jar <scenario> [--option value]\n\n");
    SCENARIOS.forEach(
        each -> help.append(Text.column(each.name(), 12)).append(each.summary()).append('\n'));
    return help.append(Text.column("tour", 12))
        .append("all of them, for --html\n\n<scenario> --help tells its options.\n")
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
