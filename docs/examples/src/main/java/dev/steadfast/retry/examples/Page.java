package dev.steadfast.retry.examples;

import java.util.Locale;

/** How the demo prints. */
final class Page {
  private Page() {}

  static void title(String title) {
    System.out.println();
    System.out.println(title);
    System.out.println("-".repeat(title.length()));
  }

  static void text(String... lines) {
    for (String line : lines) {
      System.out.println(line.isEmpty() ? "" : "   " + line);
    }
  }

  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }
}
