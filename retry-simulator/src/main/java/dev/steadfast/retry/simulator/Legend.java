package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.List;

/** The meaning of the signs of a plot, in rows below it; and its title, in rows above. */
final class Legend {
  static final int TITLE_HEIGHT = 34;

  private static final int ROW = 20;
  private static final int MARGIN = 12;
  private static final int KEY = 22;
  private static final int GAP = 6;
  private static final double LETTER = 7.2; // a wide font, 12 pixels high

  private final List<String> parts = new ArrayList<>();
  private int bottom;

  /** How a sign looks. */
  enum Mark {
    AREA,
    LINE,
    THICK,
    DASHED,
    DOTTED,
    DOT
  }

  /**
   * A sign of a plot and its meaning.
   *
   * @param mark how it looks
   * @param colour its colour
   * @param opacity of an area, 0 to 1
   * @param text what it means
   */
  record Sign(Mark mark, String colour, double opacity, String text) {}

  Legend(List<Sign> signs, int width, int top) {
    double x = MARGIN;
    int y = top;
    for (Sign sign : signs) {
      double wide = KEY + GAP + sign.text().length() * LETTER + 2 * GAP;
      if (x > MARGIN && x + wide > width) {
        x = MARGIN;
        y += ROW;
      }
      parts.add(key(sign, x, y + ROW / 2));
      parts.add(text("", x + KEY + GAP, y + ROW / 2 + 4, sign.text()));
      x += wide;
    }
    this.bottom = signs.isEmpty() ? top : y + ROW + GAP;
  }

  /** The bottom of the image. */
  int bottom() {
    return bottom;
  }

  String svg() {
    return String.join("", parts);
  }

  static String title(String title, int width) {
    return text(" class=\"title\" text-anchor=\"middle\"", width / 2.0, 22, title);
  }

  private static String text(String attributes, double x, int y, String text) {
    return "<text"
        + attributes
        + " x=\""
        + Numbers.plain(x, 1)
        + "\" y=\""
        + y
        + "\">"
        + Html.escape(text)
        + "</text>";
  }

  private static String key(Sign sign, double x, int middle) {
    return switch (sign.mark()) {
      case AREA ->
          "<rect x=\""
              + Numbers.plain(x, 1)
              + "\" y=\""
              + (middle - 6)
              + "\" width=\""
              + KEY
              + "\" height=\"12\" fill=\""
              + sign.colour()
              + "\" fill-opacity=\""
              + Numbers.plain(sign.opacity(), 2)
              + "\"/>";
      case DOT ->
          "<circle cx=\""
              + Numbers.plain(x + KEY / 2.0, 1)
              + "\" cy=\""
              + middle
              + "\" r=\"4\" fill=\""
              + sign.colour()
              + "\"/>";
      case LINE -> line(sign, x, middle, "2");
      case THICK -> line(sign, x, middle, "9");
      case DASHED -> line(sign, x, middle, "2\" stroke-dasharray=\"6 4");
      case DOTTED -> line(sign, x, middle, "2\" stroke-dasharray=\"2 3");
    };
  }

  private static String line(Sign sign, double x, int middle, String width) {
    return "<line x1=\""
        + Numbers.plain(x, 1)
        + "\" y1=\""
        + middle
        + "\" x2=\""
        + Numbers.plain(x + KEY, 1)
        + "\" y2=\""
        + middle
        + "\" stroke=\""
        + sign.colour()
        + "\" stroke-width=\""
        + width
        + "\"/>";
  }
}
