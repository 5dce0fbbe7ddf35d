package dev.steadfast.retry.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The directory of a run. The checker reads nothing else, so a run can be judged again later. */
final class History {
  private final Path directory;

  History(Path directory) {
    this.directory = directory;
  }

  /** Creates the directory of a new run. */
  static History create(Path directory, Settings settings) throws IOException {
    Files.createDirectories(directory.resolve("fired"));
    History history = new History(directory);
    history.write("run.tsv", List.of(settings.line()));
    history.write("operations.tsv", settings.operations().stream().map(Op::line).toList());
    return history;
  }

  Path file(String name) {
    return directory.resolve(name);
  }

  Settings settings() {
    return Settings.of(lines("run.tsv").get(0));
  }

  List<Op> operations() {
    return lines("operations.tsv").stream().map(Op::of).toList();
  }

  Map<String, Op> operationsByIntent() {
    return operations().stream().collect(Collectors.toMap(Op::intent, Function.identity()));
  }

  Fired fired() {
    return new Fired(file("fired"), file("quiet"));
  }

  ToldLog told(int client) {
    return new ToldLog(file("told-" + client + ".log"));
  }

  List<String> lines(String name) {
    try {
      return Files.readAllLines(file(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void write(String name, List<String> lines) throws IOException {
    Files.write(file(name), lines, StandardCharsets.UTF_8);
  }

  // Signals between the processes: a file exists or not.

  boolean is(String name) {
    return Files.exists(file(name));
  }

  void set(String name) throws IOException {
    if (!is(name)) {
      Files.createFile(file(name));
    }
  }
}
