package dev.steadfast.retry.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.limit.QuotaPacing;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The page of the settings has all of them, and none that is not there. */
final class SettingsPageTest {
  private static final Map<String, Class<?>> BUILDERS =
      Map.of(
          "RetryPolicy", RetryPolicy.Builder.class,
          "HttpRetry", HttpRetry.Builder.class,
          "StandardRules", StandardRules.Builder.class,
          "RetryOptions", RetryOptions.Builder.class,
          "Retrier", Retrier.Builder.class,
          "AdaptiveLimit", AdaptiveLimit.Builder.class,
          "QuotaPacing", QuotaPacing.Builder.class);

  private static String read(String page) throws IOException {
    return Files.readString(Pages.ROOT.resolve(page));
  }

  @TestFactory
  Iterable<DynamicTest> theTableOfEachBuilder_hasItsSettings() throws IOException {
    String page = read("docs/policies-and-budgets.md");
    return BUILDERS.entrySet().stream()
        .map(each ->
            DynamicTest.dynamicTest(
                each.getKey(),
                () -> assertEquals(settings(each.getValue()), shown(page, each.getKey()))))
        .toList();
  }

  private static Set<String> settings(Class<?> builder) {
    return Arrays.stream(builder.getMethods())
        .filter(each -> each.getReturnType() == builder)
        .map(Method::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The names in the first column of the table whose head names the type. */
  private static Set<String> shown(String page, String type) {
    String head = "| `" + type + "` |";
    assertTrue(page.contains(head), "no table begins with " + head);
    String table = page.substring(page.indexOf(head)).split("\n\n", 2)[0];
    return table
        .lines()
        .skip(2)
        .map(row -> row.split("\\|", 3)[1])
        .flatMap(names -> Pattern.compile("`(\\w+)").matcher(names).results())
        .map((MatchResult name) -> name.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What the demo sets is beside its table. */
  @Test
  void theReadme_saysWhatTheDemoSets() throws IOException {
    String words = read("README.md").replaceAll("\\s+", " ");
    assertTrue(words.contains(DemoRetry.settings()), DemoRetry.settings());
    assertTrue(DemoRetry.settings().startsWith(DemoRetry.TRIES + " tries"));
  }
}
