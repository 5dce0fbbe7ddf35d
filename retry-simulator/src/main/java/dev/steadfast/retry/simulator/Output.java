package dev.steadfast.retry.simulator;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The files that the user asked for. They are tried before the work, so that a typing error does
 * not cost a minute, and then not left behind. Each is written whole or not at all.
 */
final class Output {
  private final Optional<Path> csv;
  private final Optional<Path> html;
  private final Optional<Path> svg;

  private Output(Optional<Path> csv, Optional<Path> html, Optional<Path> svg) {
    this.csv = csv;
    this.html = html;
    this.svg = svg;
  }

  /** Finds that they can be written; what it makes for that is gone afterwards. */
  static Output of(Arguments arguments) {
    Output output =
        new Output(path("csv", arguments), path("html", arguments), path("svg", arguments));
    if (output.csv.isPresent() && output.csv.equals(output.html)) {
      throw BadInputException.of("--csv and --html", "the same file", "a file each");
    }
    output.csv.ifPresent(file -> tryFile("csv", file));
    output.html.ifPresent(file -> tryFile("html", file));
    output.svg.ifPresent(Output::tryDirectory);
    return output;
  }

  /** The file that the report goes to. */
  Optional<Path> html() {
    return html;
  }

  private static Optional<Path> path(String name, Arguments arguments) {
    if (!arguments.offers(name) || !arguments.has(name)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(arguments.text(name)).toAbsolutePath().normalize());
    } catch (InvalidPathException invalid) {
      throw BadInputException.of("--" + name, arguments.text(name), "a path");
    }
  }

  private static void tryFile(String name, Path file) {
    try {
      if (isInPlace(file)) {
        Files.newOutputStream(file, StandardOpenOption.APPEND).close();
      } else {
        Path part = part(file);
        Files.newOutputStream(part).close();
        Files.delete(part);
      }
    } catch (IOException unwritable) {
      throw unwritable(name, file, unwritable);
    }
    if (Files.isDirectory(file)) {
      throw BadInputException.of("--" + name, file + ": a directory", "a file");
    }
  }

  private static void tryDirectory(Path directory) {
    Deque<Path> missing = new ArrayDeque<>();
    for (Path at = directory; at != null && !Files.exists(at); at = at.getParent()) {
      missing.add(at);
    }
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, "simulator", ".svg"));
      for (Path made : missing) {
        Files.delete(made);
      }
    } catch (IOException unwritable) {
      throw unwritable("svg", directory, unwritable);
    }
  }

  void write(List<Report.Section> sections) {
    // All is drawn before the first file is written.
    Optional<String> page = html.map(file -> Report.of(sections));
    csv.ifPresent(file -> write("csv", file, sections.get(0).result().series().csv()));
    page.ifPresent(text -> write("html", html.orElseThrow(), text));
    svg.ifPresent(directory -> {
      for (Report.Section section : sections) {
        for (Chart chart : section.result().charts()) {
          write("svg", directory.resolve(chart.name() + ".svg"), chart.file());
        }
      }
    });
  }

  private static void write(String name, Path file, String text) {
    try {
      if (isInPlace(file)) {
        Files.writeString(file, text);
        return;
      }
      Files.createDirectories(file.getParent());
      if (Files.isDirectory(file)) {
        throw new FileSystemException(file.toString(), null, "a directory");
      }
      Path part = part(file);
      try {
        Files.writeString(part, text);
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (IOException unwritable) {
      throw unwritable(name, file, unwritable);
    }
  }

  // A terminal, say, or a link to one.
  private static boolean isInPlace(Path file) {
    boolean plain = Files.isRegularFile(file) || Files.isDirectory(file);
    return Files.isSymbolicLink(file) || (Files.exists(file) && !plain);
  }

  private static Path part(Path file) {
    Path name = file.getFileName();
    return file.resolveSibling((name == null ? "" : name) + ".part");
  }

  private static BadInputException unwritable(String name, Path path, IOException why) {
    return BadInputException.of(
        "--" + name, path + ": " + reason(why), "a place that can be written");
  }

  private static String reason(IOException why) {
    if (why instanceof NoSuchFileException) {
      return "no such directory";
    }
    if (why instanceof AccessDeniedException) {
      return "no permission";
    }
    if (why instanceof FileAlreadyExistsException) {
      return "not a directory";
    }
    String told =
        why instanceof FileSystemException inFileSystem
            ? inFileSystem.getReason()
            : why.getMessage();
    return told == null ? why.getClass().getSimpleName() : told;
  }
}
