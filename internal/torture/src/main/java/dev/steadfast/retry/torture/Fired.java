package dev.steadfast.retry.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records which faults have happened, as one empty file each. So all processes agree, and a killed
 * process forgets nothing. Safe for use by many threads and processes.
 */
final class Fired {
  private final Path directory;
  private final Path quiet;

  Fired(Path directory, Path quiet) {
    this.directory = directory;
    this.quiet = quiet;
  }

  /**
   * Claims a fault.
   *
   * @param which tells it from other faults of its kind
   * @return true for the first caller only, who causes the fault; false once the run is quiet
   */
  boolean first(Fault fault, String which) {
    if (Files.exists(quiet)) {
      return false;
    }
    try {
      Files.createFile(directory.resolve(fault.name() + "." + which));
      return true;
    } catch (FileAlreadyExistsException already) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Claims the fault of an operation, if it is this one and has not happened. */
  boolean first(Fault fault, Op op) {
    return op != null && op.fault() == fault && first(fault, op.intent());
  }

  /** How often each fault has happened. */
  Map<Fault, Integer> counts() {
    Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    for (String name : names()) {
      counts.merge(Fault.valueOf(name.substring(0, name.indexOf('.'))), 1, Integer::sum);
    }
    return counts;
  }

  private List<String> names() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(each -> each.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
