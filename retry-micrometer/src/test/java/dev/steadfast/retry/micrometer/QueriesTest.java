package dev.steadfast.retry.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.StopReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page, the alerts and the dashboard use meters, keys and values that exist. */
class QueriesTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path ALERTS = DOCS.resolve(Path.of("telemetry", "alerts.yml"));
  private static final Path DASHBOARD = DOCS.resolve(Path.of("telemetry", "dashboard.json"));

  private static final Pattern SELECTOR = Pattern.compile("\\b(steadfast_[a-z_]+)(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~?|!=|!~)\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on) ?\\(([^)]*)\\)");
  private static final Pattern SHOWN = Pattern.compile("\\{\\{([^}]*)}}");
  private static final Pattern VARIABLE =
      Pattern.compile("label_values\\((steadfast_[a-z_]+), ([a-z_]+)\\)");

  private static final Map<String, Set<String>> VALUES =
      Map.of(
          "reason", values(StopReason.values()),
          "kind", orNone(values(FailureKind.values())),
          "why", values(DelayReason.values()),
          "status", Set.of("none", "1xx", "2xx", "3xx", "4xx", "5xx"));

  private static Set<String> values(Enum<?>[] constants) {
    return Arrays.stream(constants)
        .map(each -> each.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  private static Set<String> orNone(Set<String> values) {
    values.add("none");
    return values;
  }

  /** The mistakes in a query. */
  private static List<String> faults(String query) throws IOException {
    Map<String, Set<String>> samples = Golden.samples();
    List<String> faults = new ArrayList<>();
    Set<String> common = null;
    for (MatchResult each : SELECTOR.matcher(query).results().toList()) {
      Set<String> labels = samples.get(each.group(1));
      if (labels == null) {
        faults.add("no meter " + each.group(1));
        continue;
      }
      if (common == null) {
        common = new HashSet<>(labels);
      }
      common.retainAll(labels);
      String matchers = each.group(2) == null ? "" : each.group(2);
      MATCHER
          .matcher(matchers)
          .results()
          .forEach(matcher -> faults.addAll(faults(each.group(1), labels, matcher)));
    }
    if (common == null) {
      faults.add("no meter at all");
      return faults;
    }
    for (String label : grouping(query)) {
      if (!common.contains(label)) {
        faults.add("not on each meter: " + label);
      }
    }
    return faults;
  }

  private static List<String> faults(String meter, Set<String> labels, MatchResult matcher) {
    String label = matcher.group(1);
    if (!labels.contains(label)) {
      return List.of(meter + " has no " + label);
    }
    Set<String> values = VALUES.get(label);
    if (values == null) {
      return List.of();
    }
    return Stream.of(matcher.group(3).split("\\|", -1))
        .filter(value -> !values.contains(value))
        .map(value -> label + " is never " + value)
        .toList();
  }

  private static Set<String> grouping(String query) {
    Set<String> labels = new TreeSet<>();
    GROUPING
        .matcher(query)
        .results()
        .forEach(each -> labels.addAll(List.of(each.group(1).split(", ", -1))));
    return labels;
  }

  @Test
  void mistakesInAQuery_areFound() throws IOException {
    String good =
        "sum by (client) (rate(steadfast_retries_refused_total{reason=\"deadline\"}[5m]))";
    assertEquals(List.of(), faults(good));
    assertEquals(
        List.of("no meter steadfast_retries_refused", "no meter at all"),
        faults(good.replace("_total", "")));
    assertEquals(List.of("reason is never late"), faults(good.replace("deadline", "late")));
    assertEquals(
        List.of("steadfast_retries_refused_total has no why"),
        faults(good.replace("reason=", "why=")));
    assertEquals(List.of("not on each meter: kind"), faults(good.replace("client", "kind")));
    assertEquals(List.of("no meter at all"), faults("up == 0"));
  }

  @Test
  void theTableOfThePage_isTheList() throws IOException {
    List<String> listed = new ArrayList<>();
    for (Golden.Row row : Golden.rows()) {
      MeterName name =
          Arrays.stream(MeterName.values())
              .filter(each -> each.text().equals(row.meter()))
              .findFirst()
              .orElseThrow();
      listed.add(
          "| `%s` | %s | %s | `%s` | %s |"
              .formatted(
                  row.meter(), row.type(), row.keys(), row.prometheus(), name.description()));
    }
    List<String> page =
        Files.readAllLines(DOCS.resolve("telemetry.md")).stream()
            .filter(line -> line.startsWith("| `steadfast."))
            .toList();
    assertEquals(String.join("\n", listed), String.join("\n", page));
  }

  @Test
  void theAlertsUseWhatExists() throws IOException {
    List<String> lines = Files.readAllLines(ALERTS);
    List<String> queries =
        lines.stream()
            .map(String::strip)
            .filter(line -> line.startsWith("expr: "))
            .map(line -> line.substring("expr: ".length()))
            .toList();
    assertEquals(3, queries.size());
    assertEquals(3, lines.stream().filter(line -> line.contains("- alert: ")).count());
    for (String query : queries) {
      assertEquals(List.of(), faults(query), query);
    }
  }

  @Test
  void theDashboardUsesWhatExists_andShowsEveryMeter() throws IOException {
    List<JsonObject> targets = new ArrayList<>();
    List<String> variables = new ArrayList<>();
    JsonObject dashboard = JsonParser.parseString(Files.readString(DASHBOARD)).getAsJsonObject();
    collect(dashboard.get("panels"), targets);
    for (JsonElement each : dashboard.getAsJsonObject("templating").getAsJsonArray("list")) {
      if (each.getAsJsonObject().get("type").getAsString().equals("query")) {
        variables.add(each.getAsJsonObject().get("definition").getAsString());
      }
    }
    assertTrue(targets.size() >= 8, () -> targets.size() + " queries");
    Set<String> shown = new TreeSet<>();
    for (JsonObject target : targets) {
      String query = target.get("expr").getAsString();
      assertEquals(List.of(), faults(query), query);
      SELECTOR.matcher(query).results().forEach(each -> shown.add(each.group(1)));
      SHOWN
          .matcher(target.get("legendFormat").getAsString())
          .results()
          .forEach(each -> assertTrue(grouping(query).contains(each.group(1)), query));
    }
    assertEquals(2, variables.size());
    for (String variable : variables) {
      MatchResult parts =
          VARIABLE.matcher(variable).results().findFirst().orElseThrow(AssertionError::new);
      assertTrue(Golden.samples().get(parts.group(1)).contains(parts.group(2)), variable);
    }
    for (Golden.Row row : Golden.rows()) {
      assertTrue(
          row.samples().keySet().stream().anyMatch(shown::contains),
          () -> "no panel shows " + row.meter());
    }
  }

  private static void collect(JsonElement element, List<JsonObject> targets) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(each -> collect(each, targets));
    } else if (element.isJsonObject()) {
      JsonObject object = element.getAsJsonObject();
      if (object.has("expr")) {
        targets.add(object);
      }
      object.asMap().values().forEach(each -> collect(each, targets));
    }
  }
}
