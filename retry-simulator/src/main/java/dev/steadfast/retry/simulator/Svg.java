package dev.steadfast.retry.simulator;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;

/**
 * Makes an image of a chart's description. Lets-Plot draws it; what comes out is then made the same
 * on every run and JDK (identifiers, digits), and its colours are made variables.
 */
final class Svg {
  private static final Pattern SIZE =
      Pattern.compile("<svg [^>]*width=\"([0-9.]+)\" height=\"([0-9.]+)\"[^>]*>");
  private static final Pattern STYLE = Pattern.compile("<style.*?</style>", Pattern.DOTALL);
  private static final Pattern ID = Pattern.compile(" id=\"([A-Za-z0-9]+)\"");
  private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+\\.[0-9]+(E-?[0-9]+)?");
  private static final Pattern BETWEEN = Pattern.compile(">\\s+<");
  private static final Pattern CLOSED = Pattern.compile("<(\\w+)([^<>]*)></\\1>");
  private static final Pattern BACKGROUND =
      Pattern.compile("<path [^>]*fill=\"rgb\\(255,255,255\\)\"[^>]*/>");

  private static final String FONT =
      "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";
  private static final String RULES =
      "text{"
          + FONT
          + ";fill:var(--sim-ink)}"
          + ".axis-text-x,.axis-text-y,.legend-item,.facet-strip-text-x{font-size:12px}"
          + ".axis-title-x,.axis-title-y,.legend-title{font-size:13px}";

  private Svg() {}

  static String of(String name, String title, Map<String, Object> spec) {
    String drawn =
        PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(
            new LinkedHashMap<>(spec), null, new UnsupportedRGBEncoder(), true);
    String svg = BETWEEN.matcher(drawn).replaceAll("><");
    svg = CLOSED.matcher(svg).replaceAll("<$1$2/>");
    svg = BACKGROUND.matcher(svg).replaceFirst("");
    svg = renamed(svg, name);
    svg = coloured(svg);
    svg = rounded(svg).replace(Plot.INVISIBLE, "");
    return headed(svg, title);
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

  private static String coloured(String svg) {
    // What is left in the library's own colours: grounds under legend keys, fills of lines.
    String coloured = svg.replace("rgb(255,255,255)", "none").replace("rgb(17,142,216)", "none");
    coloured = coloured.replace("rgb(0,0,0)", "var(" + Palette.INK.variable() + ")");
    for (Palette colour : Palette.values()) {
      coloured =
          coloured
              .replace(colour.rgb(), "var(" + colour.variable() + ")")
              .replace(colour.light(), "var(" + colour.variable() + ")");
    }
    return coloured;
  }

  private static String rounded(String svg) {
    return DECIMAL.matcher(svg).replaceAll(number -> shortest(number.group()));
  }

  private static String shortest(String number) {
    BigDecimal rounded = new BigDecimal(number).setScale(2, RoundingMode.HALF_UP);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  private static String headed(String svg, String title) {
    String style =
        "<style>svg{"
            + Palette.variables(false)
            + "}@media (prefers-color-scheme:dark){svg{"
            + Palette.variables(true)
            + "}}"
            + RULES
            + "</style>";
    String body = STYLE.matcher(svg).replaceFirst(Matcher.quoteReplacement(style));
    Matcher size = SIZE.matcher(body);
    if (!size.find()) {
      throw new IllegalStateException("no size in the image of " + title);
    }
    String head =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
            + size.group(1)
            + " "
            + size.group(2)
            + "\" width=\""
            + size.group(1)
            + "\" role=\"img\"><title>"
            + Html.escape(title)
            + "</title>";
    return head + body.substring(size.end()) + "\n";
  }
}
