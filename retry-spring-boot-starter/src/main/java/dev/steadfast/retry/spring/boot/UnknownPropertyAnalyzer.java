package dev.steadfast.retry.spring.boot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says which property is unknown, and which one was probably meant. Boot explains wrong values. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {
  private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("steadfast");

  // Settings that are within the text of a policy.
  private static final Set<String> OF_POLICY =
      Set.of("maxattempts", "backoff", "totaltimeout", "attempttimeout", "maxserverdelay");

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable root, UnboundConfigurationPropertiesException unbound) {
    List<ConfigurationProperty> ours =
        unbound.getUnboundProperties().stream()
            .filter(each -> OURS.isAncestorOf(each.getName()))
            .toList();
    if (ours.isEmpty()) {
      return null;
    }
    StringBuilder description = new StringBuilder("There is no such property:\n");
    StringBuilder action = new StringBuilder("Did you mean:\n");
    for (ConfigurationProperty each : ours) {
      description.append(
          "\n    Property: %s\n    Value: \"%s\"\n    Origin: %s\n"
              .formatted(each.getName(), each.getValue(), each.getOrigin()));
      action.append("\n    ").append(nearest(each.getName()));
    }
    return new FailureAnalysis(description.toString(), action.toString(), unbound);
  }

  /** The property above, or else the one with the fewest differences in spelling. */
  static String nearest(ConfigurationPropertyName name) {
    String wrong = name.toString();
    List<String> known = new ArrayList<>(List.of("steadfast.default-client"));
    known.addAll(
        Stream.of("metrics", "scope").map(each -> "steadfast." + each + ".enabled").toList());
    known.addAll(JournalProperties.names());
    // The client may be named at any place if what is before it is wrong as well.
    for (int i = 1; i < name.getNumberOfElements(); i++) {
      String client = name.getElement(i, Form.ORIGINAL);
      properties().forEach(each -> known.add("steadfast.clients." + client + "." + each));
    }
    if (OF_POLICY.contains(name.getLastElement(Form.UNIFORM))) {
      known.removeIf(each -> !each.endsWith(".policy"));
    }
    return known.stream()
        .min(Comparator.comparingInt(each -> isAbove(each, wrong) ? 0 : differences(wrong, each)))
        .orElse("steadfast.clients");
  }

  private static boolean isAbove(String property, String wrong) {
    return wrong.startsWith(property + ".") || wrong.startsWith(property + "[");
  }

  /** The properties of a client. */
  static List<String> properties() {
    return Arrays.stream(SteadfastProperties.Client.class.getRecordComponents())
        .map(each -> each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
        .toList();
  }

  // Letters to add, leave out or replace (Levenshtein).
  private static int differences(String one, String other) {
    int[] row = new int[other.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
