package dev.steadfast.retry.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An application of {@code src/test/resources/apps} that is compiled, linked and run as a module.
 */
final class ModularApp {
  private final List<Path> sources;
  private final Path work;
  private final List<Path> modulePath;

  private ModularApp(List<Path> sources, Path work, List<Path> modulePath) {
    this.sources = sources;
    this.work = work;
    this.modulePath = modulePath;
  }

  /** What a tool ended with, and what it printed. */
  record Result(int code, String printed) {
    /** What it printed, if it ended well. */
    String succeeded() {
      assertEquals(0, code, printed);
      return printed.strip();
    }
  }

  /** The same application with these sources, too. */
  ModularApp with(List<Path> sources) {
    List<Path> more = new ArrayList<>(this.sources);
    more.addAll(sources);
    return new ModularApp(more, work, modulePath);
  }

  static ModularApp of(String name, Path work, List<Path> modulePath) {
    return new ModularApp(List.of(Path.of("src/test/resources/apps", name)), work, modulePath);
  }

  Result compile(String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(options));
    Collections.addAll(
        arguments,
        "-Xlint:all,-requires-automatic,-classfile",
        "-d",
        classes().toString(),
        "-p",
        join(modulePath));
    for (Path each : sources) {
      try (Stream<Path> files = Files.walk(each)) {
        files.filter(Files::isRegularFile).map(Path::toString).forEach(arguments::add);
      }
    }
    return tool("javac", arguments);
  }

  Result link(Path image, String... moreModules) {
    List<String> modules = new ArrayList<>(List.of("app"));
    Collections.addAll(modules, moreModules);
    return tool(
        "jlink",
        List.of(
            "-p",
            join(withApp()),
            "--add-modules",
            String.join(",", modules),
            "--output",
            image.toString()));
  }

  Result run(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(options));
    Collections.addAll(arguments, "-p", join(withApp()), "-m", "app/app.Main");
    return java(Path.of(System.getProperty("java.home")), arguments);
  }

  Result java(Path home, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin").resolve("java").toString());
    command.addAll(arguments);
    Path output = work.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(100, TimeUnit.SECONDS), "the application does not end");
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(output));
  }

  private List<Path> withApp() {
    List<Path> all = new ArrayList<>(modulePath);
    all.add(classes());
    return all;
  }

  private Path classes() {
    return work.resolve("classes");
  }

  private static String join(List<Path> paths) {
    return paths.stream()
        .map(Path::toString)
        .collect(Collectors.joining(System.getProperty("path.separator")));
  }

  private static Result tool(String name, List<String> arguments) {
    StringWriter printed = new StringWriter();
    PrintWriter writer = new PrintWriter(printed);
    int code =
        ToolProvider.findFirst(name)
            .orElseThrow()
            .run(writer, writer, arguments.toArray(String[]::new));
    return new Result(code, printed.toString());
  }
}
