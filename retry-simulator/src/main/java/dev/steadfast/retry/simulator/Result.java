package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.List;

/** The result of a scenario: for people, for programs, and for the report. */
final class Result {
  private final String title;
  private final String model;
  private String conclusion = "";
  private final List<String> notes = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<Line> lines = new ArrayList<>();
  private final List<Chart> charts = new ArrayList<>();
  private final Table series;

  /**
   * An empty result.
   *
   * @param title what was simulated
   * @param model which model it is, and what it leaves out
   * @param series the rows that go to a CSV file
   */
  Result(String title, String model, Table series) {
    this.title = title;
    this.model = model;
    this.series = series;
  }

  /** The conclusion from the figures, in one sentence. */
  Result conclusion(String conclusion) {
    this.conclusion = conclusion;
    return this;
  }

  Result note(String note) {
    notes.add(note);
    return this;
  }

  Result table(Table table) {
    tables.add(table);
    return this;
  }

  Result line(Line line) {
    lines.add(line);
    return this;
  }

  Result chart(Chart chart) {
    charts.add(chart);
    return this;
  }

  String title() {
    return title;
  }

  String conclusion() {
    return conclusion;
  }

  String model() {
    return model;
  }

  List<String> notes() {
    return notes;
  }

  List<Table> tables() {
    return tables;
  }

  List<String> lines() {
    return lines.stream().map(Line::toString).toList();
  }

  List<Chart> charts() {
    return charts;
  }

  Table series() {
    return series;
  }

  /** The case that was simulated and its conclusions. */
  String summary() {
    return title + "\n  " + conclusion + "\n";
  }

  /** The text that the terminal shows: summary, tables and notes, then the lines for programs. */
  String text() {
    StringBuilder text = new StringBuilder(summary()).append("\n");
    tables.forEach(table -> text.append(table.text()).append('\n'));
    notes.forEach(note -> text.append(note).append('\n'));
    text.append(notes.isEmpty() ? "" : "\n");
    lines.forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }
}
