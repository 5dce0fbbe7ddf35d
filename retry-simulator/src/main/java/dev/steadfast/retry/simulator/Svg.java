package dev.steadfast.retry.simulator;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;

/**
 * Makes an image of a plot. Lets-Plot draws the plot; what comes out is then made the same on every
 * run and JDK (identifiers, digits). Title and legend are added here. Only what SVG 1.1 knows is
 * used, so that programs other than browsers show it too.
 */
final class Svg {
  private static final Pattern SIZE =
      Pattern.compile("<svg [^>]*width=\"([0-9.]+)\" height=\"([0-9.]+)\"[^>]*>");
  private static final Pattern STYLE = Pattern.compile("<style.*?</style>", Pattern.DOTALL);
  private static final Pattern ID = Pattern.compile(" id=\"([A-Za-z0-9]+)\"");
  private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+\\.[0-9]+(E-?[0-9]+)?");
  private static final Pattern BETWEEN = Pattern.compile(">\\s+<");
  private static final Pattern CLOSED = Pattern.compile("<(\\w+)([^<>]*)></\\1>");
  private static final Pattern COLOUR = Pattern.compile("rgb\\((\\d+),(\\d+),(\\d+)\\)");

  private static final String RULES =
      "<style>text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
          + "font-size:12px;fill:#474747}"
          + ".axis-title-x,.axis-title-y{font-size:13px}"
          + ".title{font-size:15px;font-weight:bold}</style>";

  private Svg() {}

  /** An image with its title above and its legend below. */
  static String titled(String name, String title, Plot plot) {
    return of(name, title, plot, Legend.TITLE_HEIGHT);
  }

  /** An image for a page that shows the title itself. */
  static String untitled(String name, String title, Plot plot) {
    return of(name, title, plot, 0);
  }

  private static String of(String name, String title, Plot plot, int above) {
    String drawn =
        PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(
            new LinkedHashMap<>(plot.spec()), null, new UnsupportedRGBEncoder(), true);
    String svg = BETWEEN.matcher(drawn).replaceAll("><");
    svg = CLOSED.matcher(svg).replaceAll("<$1$2/>");
    svg = renamed(svg, name);
    // The library's own blue, which fills lines.
    svg = svg.replace("fill=\"rgb(17,142,216)\"", "fill=\"none\"");
    svg = COLOUR.matcher(svg).replaceAll(Svg::hex);
    svg = rounded(svg).replace(Plot.INVISIBLE, "");
    svg = STYLE.matcher(svg).replaceFirst("");
    Matcher size = SIZE.matcher(svg);
    if (!size.find()) {
      throw new IllegalStateException("no size in the image of " + title);
    }
    int width = (int) Double.parseDouble(size.group(1));
    int height = (int) Double.parseDouble(size.group(2));
    Legend legend = new Legend(plot.signs(), width, above + height);
    String body = svg.substring(size.end(), svg.lastIndexOf("</svg>"));
    return head(title, width, legend.bottom())
        + (above == 0 ? "" : Legend.title(title, width))
        + "<g transform=\"translate(0 "
        + above
        + ")\">"
        + body
        + "</g>"
        + legend.svg()
        + "</svg>\n";
  }

  private static String head(String title, int width, int height) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
        + width
        + " "
        + height
        + "\" width=\""
        + width
        + "\" height=\""
        + height
        + "\" role=\"img\"><title>"
        + Html.escape(title)
        + "</title>"
        + RULES
        + "<rect width=\""
        + width
        + "\" height=\""
        + height
        + "\" fill=\"#ffffff\"/>";
  }

  private static String hex(MatchResult colour) {
    StringBuilder hex = new StringBuilder("#");
    for (int i = 1; i <= 3; i++) {
      String digits = Integer.toHexString(Integer.parseInt(colour.group(i)));
      hex.append(digits.length() == 1 ? "0" : "").append(digits);
    }
    return hex.toString();
  }

  private static String renamed(String svg, String name) {
    Map<String, String> names = new LinkedHashMap<>();
    Matcher ids = ID.matcher(svg);
    while (ids.find()) {
      names.putIfAbsent(ids.group(1), name + "-" + names.size());
    }
    String renamed = svg;
    for (Map.Entry<String, String> each : names.entrySet()) {
      renamed = renamed.replace(each.getKey(), each.getValue());
    }
    return renamed;
  }

  private static String rounded(String svg) {
    return DECIMAL.matcher(svg).replaceAll(number -> shortest(number.group()));
  }

  private static String shortest(String number) {
    BigDecimal rounded = new BigDecimal(number).setScale(2, RoundingMode.HALF_UP);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}
