package dev.steadfast.retry.micrometer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The checked-in list of meters. */
final class Golden {
  private static final Path LIST = Path.of("src", "test", "resources", "meters.txt");

  private Golden() {}

  /** One line of the list. */
  record Row(String meter, String type, String keys, String prometheus) {
    Set<String> keySet() {
      return new TreeSet<>(List.of(keys.split(", ", -1)));
    }

    /** The samples that Prometheus reads of the meter, with their labels. */
    Map<String, Set<String>> samples() {
      Map<String, Set<String>> samples = new LinkedHashMap<>();
      for (String suffix : suffixes()) {
        Set<String> labels = keySet();
        if (suffix.equals("_bucket")) {
          labels.add("le");
        }
        samples.put(prometheus + suffix, labels);
      }
      return samples;
    }

    private List<String> suffixes() {
      return switch (type) {
        case "timer" -> List.of("_count", "_sum", "_max");
        case "histogram" -> List.of("_bucket", "_count", "_sum", "_max");
        default -> List.of("");
      };
    }
  }

  static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(LIST)) {
      String[] cells = line.split(" \\| ", -1);
      rows.add(new Row(cells[0], cells[1], cells[2], cells[3]));
    }
    return rows;
  }

  /** All samples that Prometheus reads, with their labels. */
  static Map<String, Set<String>> samples() throws IOException {
    Map<String, Set<String>> samples = new TreeMap<>();
    for (Row row : rows()) {
      samples.putAll(row.samples());
    }
    return samples;
  }
}
