package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The table as a table: nothing said twice, nothing left out. */
class ScenarioTableTest {
  /** Not at the wire: the eviction of origins (10) and stacked filters (18). */
  private static final Set<Integer> TRAPS_ELSEWHERE = Set.of(10, 18);

  private final List<Scenario> rows = ScenarioTable.rows();

  @Test
  void everyRowHasANameOfItsOwnAndSaysWhatMustCome() {
    Set<String> names = rows.stream().map(Scenario::title).collect(Collectors.toSet());
    assertEquals(rows.size(), names.size());
    rows.forEach(row -> assertTrue(row.expected().complete(), row::title));
  }

  @Test
  void everyTrapThatCanBeMetHereHasARow() {
    Set<Integer> met =
        rows.stream()
            .flatMapToInt(row -> Arrays.stream(row.setup().traps))
            .boxed()
            .collect(Collectors.toSet());
    Set<Integer> wanted =
        IntStream.rangeClosed(1, 20)
            .filter(trap -> !TRAPS_ELSEWHERE.contains(trap))
            .boxed()
            .collect(Collectors.toSet());
    assertEquals(wanted, met);
  }

  @Test
  void everyDifferenceDiffersAndHasAReason() {
    for (Scenario row : rows) {
      for (Scenario.Difference each : row.differences()) {
        assertFalse(each.reason().isBlank(), row::title);
        assertNotEquals(row.expected(), each.change().apply(row.expected()), row::title);
      }
    }
  }

  @Test
  void everyClientRunsMostRows() {
    for (Trait trait : Trait.values()) {
      long run = rows.stream().filter(row -> row.expected(Set.of(trait)) != null).count();
      assertTrue(run >= 270, () -> trait + ": " + run + " of " + rows.size());
    }
  }

  @Test
  void everyTraitMatters() {
    // It changes what counts as carrying a key, in all rows, and no expectation of a single one.
    for (Trait trait : EnumSet.complementOf(EnumSet.of(Trait.DROPS_HEADERS_ON_GET))) {
      assertTrue(
          rows.stream().anyMatch(row -> !row.expected().equals(row.expected(Set.of(trait)))),
          trait::toString);
    }
  }
}
