package dev.steadfast.retry.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A golden file: the result of each row through each entry point when the file was written. It pins
 * aspects that rows do not name. Run the table with {@code -Dsteadfast.golden=write} to write it
 * anew, and read the difference before you commit it.
 *
 * <p>A block begins with {@code == row}. It has {@code -- entry points} before the lines that these
 * entry points share.
 */
final class Golden {
  private static final String ROW = "== ";
  private static final String ENTRIES = "-- ";
  private static final String FOLDER = "golden/";
  private static final Path RESOURCES = Path.of("src", "test", "resources");

  private final String name;
  private final boolean write;
  private final Map<String, Map<String, List<String>>> pinned; // by row and entry point
  private final Map<String, Map<String, List<String>>> seen = new LinkedHashMap<>();

  private Golden(String name, boolean write, String text) {
    this.name = name;
    this.write = write;
    this.pinned = parse(text);
  }

  /** The file of this name, which is written if the system property says so. */
  static Golden file(String name) {
    String path = FOLDER + name + ".txt";
    boolean write = "write".equals(System.getProperty("steadfast.golden"));
    return new Golden(path, write, write ? "" : read(path));
  }

  /** A file with this text. */
  static Golden of(String text) {
    return new Golden("a text", false, text);
  }

  /** Compares a run with the file, or remembers it to be written. */
  synchronized void compare(Observed observed, Findings findings) {
    String row = observed.scenario().title();
    String entry = observed.entry().name();
    List<String> lines = GoldenText.of(observed);
    seen.computeIfAbsent(row, unused -> new LinkedHashMap<>()).put(entry, lines);
    List<String> before = pinned.getOrDefault(row, Map.of()).getOrDefault(entry, List.of());
    if (!write && !before.equals(lines)) {
      findings.add("not as in " + name + ", what was (-) and is (+):" + difference(before, lines));
    }
  }

  /** All lines that only one of the two has: a line begins with its aspect. */
  private static String difference(List<String> before, List<String> now) {
    StringBuilder text = new StringBuilder();
    before.stream()
        .filter(line -> !now.contains(line))
        .forEach(line -> text.append("\n      - " + line));
    now.stream()
        .filter(line -> !before.contains(line))
        .forEach(line -> text.append("\n      + " + line));
    return text.toString();
  }

  /** When all rows have run: writes the file, or fails if it has a result that no row gave. */
  synchronized void end() throws IOException {
    if (write) {
      if (!Files.isDirectory(RESOURCES)) {
        throw new IllegalStateException("no folder " + RESOURCES.toAbsolutePath());
      }
      Path file = RESOURCES.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, print(seen));
      return;
    }
    pinned.forEach((row, entries) ->
        entries
            .keySet()
            .forEach(entry -> {
              if (!seen.getOrDefault(row, Map.of()).containsKey(entry)) {
                throw new AssertionError(
                    name + " has what did not run: " + row + " [" + entry + "]");
              }
            }));
  }

  private static String read(String name) {
    try (InputStream file = loader().getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException(
            "no resource " + name + "; -Dsteadfast.golden=write writes it");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The file is among the resources of the adapter's tests. */
  private static ClassLoader loader() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null ? Golden.class.getClassLoader() : context;
  }

  static Map<String, Map<String, List<String>>> parse(String text) {
    Map<String, Map<String, List<String>>> rows = new LinkedHashMap<>();
    Map<String, List<String>> row = Map.of();
    List<String> lines = List.of();
    for (String line : text.lines().toList()) {
      if (line.startsWith(ROW)) {
        row = new LinkedHashMap<>();
        rows.put(line.substring(ROW.length()), row);
      } else if (line.startsWith(ENTRIES)) {
        lines = new ArrayList<>();
        for (String entry : line.substring(ENTRIES.length()).split(", ", -1)) {
          row.put(entry, lines);
        }
      } else if (!line.isEmpty()) {
        lines.add(line);
      }
    }
    return rows;
  }

  static String print(Map<String, Map<String, List<String>>> rows) {
    StringBuilder text = new StringBuilder();
    rows.forEach((row, entries) -> {
      text.append(ROW).append(row).append('\n');
      Map<List<String>, List<String>> shared = new LinkedHashMap<>();
      entries.forEach(
          (entry, lines) -> shared.computeIfAbsent(lines, unused -> new ArrayList<>()).add(entry));
      shared.forEach((lines, names) -> {
        text.append(ENTRIES).append(String.join(", ", names)).append('\n');
        lines.forEach(line -> text.append(line).append('\n'));
      });
      text.append('\n');
    });
    return text.toString();
  }
}
