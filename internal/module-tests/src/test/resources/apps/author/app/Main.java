package app;

import dev.steadfast.retry.tck.ScenarioTests;
import dev.steadfast.retry.tck.example.ExampleEntryPoint;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/** Runs the rows that send a POST. */
public final class Main {
  public static void main(String[] arguments) throws Throwable {
    List<DynamicTest> rows = ScenarioTests.some("POST", ExampleEntryPoint.blocking()).toList();
    int passed = 0;
    for (DynamicTest row : rows) {
      try {
        row.getExecutable().execute();
        passed++;
      } catch (TestAbortedException notForIt) {
        System.err.println(row.getDisplayName());
      }
    }
    System.out.println(passed > rows.size() / 2 && passed > 50 ? "passed" : "only " + passed);
  }
}
