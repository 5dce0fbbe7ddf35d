package dev.steadfast.retry.tck;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;

/** The scenario table as tests: call {@link #all} from a {@code @TestFactory}. */
public final class ScenarioTests {
  private ScenarioTests() {}

  /**
   * Every row through every entry point, named {@code row [entry point]}. A row that is not for an
   * entry point is aborted, with the reason.
   *
   * @param entries the entry points
   * @return one test per row and entry point
   */
  public static Stream<DynamicTest> all(EntryPoint... entries) {
    return some("", entries);
  }

  /**
   * The rows whose title contains a text, for work on one of them.
   *
   * @param text a part of the titles
   * @param entries the entry points
   * @return one test per row and entry point
   */
  public static Stream<DynamicTest> some(String text, EntryPoint... entries) {
    return ScenarioTable.rows().stream()
        .filter(row -> row.title().contains(text))
        .flatMap(row -> tests(row, Arrays.asList(entries), ScenarioRun.Watcher.NONE));
  }

  /**
   * As {@link #all}, and the result of each row must match the golden file of this name.
   *
   * @param name the file is {@code src/test/resources/golden/<name>.txt}; {@code
   *     -Dsteadfast.golden=write} writes it anew
   * @param entries the entry points
   * @return one test per row and entry point, and one for the file
   * @throws IllegalStateException if there is no such file
   */
  public static Stream<DynamicTest> golden(String name, EntryPoint... entries) {
    Golden golden = Golden.file(name);
    return Stream.concat(
        ScenarioTable.rows().stream()
            .flatMap(row -> tests(row, Arrays.asList(entries), golden::compare)),
        Stream.of(DynamicTest.dynamicTest("golden file " + name, golden::end)));
  }

  private static Stream<DynamicTest> tests(
      Scenario row, List<EntryPoint> entries, ScenarioRun.Watcher watcher) {
    return entries.stream()
        .map(entry ->
            DynamicTest.dynamicTest(
                row.title() + " [" + entry.name() + "]", () -> run(row, entry, watcher)));
  }

  private static void run(Scenario row, EntryPoint entry, ScenarioRun.Watcher watcher)
      throws Exception {
    if (row.expected(entry.traits()) == null) {
      Assumptions.abort("not for " + entry.name() + ": " + row.reason(entry.traits()));
    }
    if (!entry.canSend(row.setup().call)) {
      Assumptions.abort("not for " + entry.name() + ": it cannot send such a request");
    }
    if (row.setup().interference != Interference.NONE && !entry.takesInterceptors()) {
      Assumptions.abort("not for " + entry.name() + ": it takes no interceptors");
    }
    if (row.setup().follows != Follows.NOTHING && !entry.canFollow()) {
      Assumptions.abort("not for " + entry.name() + ": it follows nothing");
    }
    ScenarioRun.of(row, entry, watcher);
  }
}
