package dev.steadfast.retry.simulator;

import java.util.List;

/**
 * Colours of the charts. A chart is drawn with the light ones; in the result each becomes a
 * variable, so that the page, or the image itself, can show the dark ones.
 */
enum Palette {
  BLUE("#2563eb", "#60a5fa"),
  ORANGE("#d97706", "#fbbf24"),
  GREEN("#059669", "#34d399"),
  RED("#dc2626", "#f87171"),
  PURPLE("#7c3aed", "#c4b5fd"),
  GREY("#6b7280", "#9ca3af"),
  CYAN("#0891b2", "#22d3ee"),
  BAND("#be123d", "#fb7185"),
  INK("#474747", "#d4d4d8"),
  GRID("#e9e9e9", "#3f3f46");

  static final List<String> SERIES =
      List.of(
          RED.light, ORANGE.light, PURPLE.light, BLUE.light, GREEN.light, GREY.light, CYAN.light);

  private final String light;
  private final String dark;

  Palette(String light, String dark) {
    this.light = light;
    this.dark = dark;
  }

  String light() {
    return light;
  }

  /** The name of its variable. */
  String variable() {
    return "--sim-" + name().toLowerCase(java.util.Locale.ROOT);
  }

  /** As the charting library writes it. */
  String rgb() {
    return "rgb(" + part(1) + "," + part(3) + "," + part(5) + ")";
  }

  private int part(int at) {
    return Integer.parseInt(light.substring(at, at + 2), 16);
  }

  /** The variables for a style sheet. */
  static String variables(boolean dark) {
    StringBuilder css = new StringBuilder();
    for (Palette colour : values()) {
      css.append(colour.variable()).append(':').append(dark ? colour.dark : colour.light);
      css.append(';');
    }
    return css.toString();
  }
}
