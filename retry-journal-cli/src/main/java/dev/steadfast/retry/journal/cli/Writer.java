package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.Oversight.Entry;
import dev.steadfast.retry.journal.Oversight.Position;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes results as text, or as one JSON object. */
final class Writer {
  private static final List<String> HEAD =
      List.of("STATE", "SINCE", "NAME", "KEY", "DELIVERIES", "STATUS", "SEQUENCE", "TARGET");

  private final PrintStream out;
  private final boolean json;

  Writer(PrintStream out, boolean json) {
    this.out = out;
    this.json = json;
  }

  /** Writes fields. One without a value is left out of the text. */
  void fields(Map<String, @Nullable Object> fields) {
    if (json) {
      out.println(Json.text(fields));
      return;
    }
    fields.forEach((name, value) -> {
      if (value != null) {
        out.printf("%-16s %s%n", name, value instanceof Map ? Json.text(value) : plain(value));
      }
    });
  }

  void page(List<Entry> page, @Nullable Position next) {
    if (json) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("operations", page.stream().map(Shown::entry).toList());
      fields.put("next", next == null ? null : next.toString());
      out.println(Json.text(fields));
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    page.forEach(each -> rows.add(row(each)));
    int[] widths = new int[HEAD.size()];
    rows.forEach(row -> {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    });
    rows.forEach(row -> out.println(line(row, widths)));
    if (next != null) {
      out.println("there may be more: --after " + next);
    }
  }

  private static List<String> row(Entry entry) {
    String key = entry.id().key();
    String principal = entry.id().principal();
    return List.of(
        entry.state().toString(),
        entry.times().since().toString(),
        plain(entry.id().name()),
        plain(principal.isEmpty() ? key : key + " --principal " + principal),
        String.valueOf(entry.deliveries()),
        entry.status() == null ? "-" : entry.status().toString(),
        entry.sequence() == null ? "-" : plain(entry.sequence()),
        plain(entry.target()));
  }

  private static String line(List<String> row, int... widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
    }
    return line.toString().stripTrailing();
  }

  // Replaces control characters, so that no key and no path controls the terminal.
  private static String plain(Object value) {
    return value.toString().replaceAll("\\p{Cntrl}", "?");
  }

  void decision(Map<String, @Nullable Object> operation, String verb, String word, String text) {
    if (json) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>(operation);
      fields.put("command", verb);
      fields.put("decision", word);
      fields.put("text", text);
      out.println(Json.text(fields));
      return;
    }
    out.println(
        verb
            + " "
            + plain(String.valueOf(operation.get("name")))
            + " "
            + plain(String.valueOf(operation.get("key")))
            + ": "
            + text);
  }
}
