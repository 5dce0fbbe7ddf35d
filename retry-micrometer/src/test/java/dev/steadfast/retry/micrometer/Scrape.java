package dev.steadfast.retry.micrometer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The text that Prometheus reads from a registry. */
final class Scrape {
  private static final Pattern LINE = Pattern.compile("([a-z_]+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"((?:\\\\.|[^\"\\\\])*)\"");

  private final List<Sample> samples = new ArrayList<>();

  /** One line. */
  record Sample(String name, Map<String, String> labels, double value) {}

  private Scrape(String text) {
    text.lines()
        .filter(line -> line.startsWith("steadfast"))
        .forEach(line -> samples.add(sample(line)));
  }

  static Scrape of(PrometheusMeterRegistry registry) {
    return new Scrape(registry.scrape());
  }

  private static Sample sample(String line) {
    Matcher parts = LINE.matcher(line);
    assertTrue(parts.matches(), line);
    Map<String, String> labels = new TreeMap<>();
    if (parts.group(2) != null) {
      LABEL
          .matcher(parts.group(2))
          .results()
          .forEach(each -> labels.put(each.group(1), each.group(2)));
    }
    String value = parts.group(3).replace("+Inf", "Infinity");
    return new Sample(parts.group(1), labels, Double.parseDouble(value));
  }

  List<Sample> samples() {
    return samples;
  }

  /** The sum of the samples with this name and these labels: key, value, key, value. */
  double sum(String name, String... labels) {
    return matching(name, labels).mapToDouble(Sample::value).sum();
  }

  /** How many samples have this name and these labels. */
  long count(String name, String... labels) {
    return matching(name, labels).count();
  }

  private Stream<Sample> matching(String name, String... labels) {
    return samples.stream()
        .filter(sample -> sample.name().equals(name))
        .filter(sample -> hasAll(sample, labels));
  }

  private static boolean hasAll(Sample sample, String... labels) {
    for (int i = 0; i < labels.length; i += 2) {
      if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
        return false;
      }
    }
    return true;
  }
}
