package dev.steadfast.retry.simulator;

import java.util.List;

/** Colours of the charts. They have contrast enough on white, which is under every chart. */
enum Palette {
  BLUE("#2563eb"),
  ORANGE("#d97706"),
  GREEN("#059669"),
  RED("#dc2626"),
  PURPLE("#7c3aed"),
  GREY("#6b7280"),
  CYAN("#0891b2"),
  BAND("#be123d"),
  INK("#474747");

  static final List<String> SERIES =
      List.of(RED.hex, ORANGE.hex, PURPLE.hex, BLUE.hex, GREEN.hex, GREY.hex, CYAN.hex);

  private final String hex;

  Palette(String hex) {
    this.hex = hex;
  }

  String hex() {
    return hex;
  }
}
