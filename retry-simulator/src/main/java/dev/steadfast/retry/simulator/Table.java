package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Rows under a heading, for the terminal, for HTML and for a CSV file. */
final class Table {
  private final String caption;
  private final List<String> heading;
  private final List<List<String>> rows = new ArrayList<>();

  Table(String caption, String... heading) {
    this.caption = caption;
    this.heading = List.of(heading);
  }

  Table row(String... cells) {
    if (cells.length != heading.size()) {
      throw new IllegalArgumentException(cells.length + " cells under " + heading);
    }
    rows.add(List.of(cells));
    return this;
  }

  String caption() {
    return caption;
  }

  List<String> heading() {
    return heading;
  }

  List<List<String>> rows() {
    return rows;
  }

  /** Columns under each other; what begins with a digit stands to the right. */
  String text() {
    int[] widths = new int[heading.size()];
    widen(widths, heading);
    rows.forEach(row -> widen(widths, row));
    StringBuilder text = new StringBuilder();
    if (!caption.isEmpty()) {
      text.append(caption).append('\n');
    }
    line(text, widths, heading);
    rows.forEach(row -> line(text, widths, row));
    return text.toString();
  }

  private static void widen(int[] widths, List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], cells.get(i).length());
    }
  }

  private void line(StringBuilder text, int[] widths, List<String> cells) {
    StringBuilder line = new StringBuilder(" ");
    for (int i = 0; i < widths.length; i++) {
      String pad = " ".repeat(widths[i] - cells.get(i).length());
      boolean right = right(i);
      line.append(' ').append(right ? pad : "").append(cells.get(i)).append(right ? "" : pad);
      line.append(' ');
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  /** Whether a column holds numbers. */
  boolean right(int column) {
    return rows.stream().allMatch(row -> row.get(column).matches("-|never|-?[0-9].*"));
  }

  String csv() {
    StringBuilder csv = new StringBuilder();
    csvLine(csv, heading);
    rows.forEach(row -> csvLine(csv, row));
    return csv.toString();
  }

  private static void csvLine(StringBuilder csv, List<String> cells) {
    StringJoiner line = new StringJoiner(",", "", "\n");
    for (String cell : cells) {
      boolean quoted = cell.indexOf(',') >= 0 || cell.indexOf('"') >= 0;
      line.add(quoted ? '"' + cell.replace("\"", "\"\"") + '"' : cell);
    }
    csv.append(line);
  }
}
