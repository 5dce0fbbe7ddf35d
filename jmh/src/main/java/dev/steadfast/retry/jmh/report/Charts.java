package dev.steadfast.retry.jmh.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Bars of one part of the report, as SVG. */
final class Charts {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final double WIDE = 20; // between the least and the most: time for a log axis

  private Charts() {}

  /** Draws one bar for each name. */
  static void draw(String title, String unit, Map<String, Double> bars, Path file)
      throws IOException {
    List<String> names = new ArrayList<>(bars.keySet());
    // What was lost in the noise, or is nothing, has no bar and does not stretch the axis.
    double least =
        bars.values().stream().mapToDouble(Double::doubleValue).filter(v -> v > 0).min().orElse(0);
    double most = bars.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    boolean wide = most > WIDE * least;
    double floor = wide ? Math.pow(10, Math.floor(Math.log10(0.8 * least))) : 0;
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .yAxisTitle(wide ? unit + ", log" : unit)
            .build();
    chart.getStyler().setLegendVisible(true).setLegendPosition(LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(LegendLayout.Horizontal);
    chart.getStyler().setXAxisLabelRotation(30).setYAxisLogarithmic(wide).setYAxisMin(floor);
    chart.getStyler().setOverlapped(true).setChartBackgroundColor(Color.WHITE);
    chart
        .addSeries("Steadfast", names, heights(bars, true, floor))
        .setFillColor(new Color(0x1f6feb));
    chart
        .addSeries("peers and limits", names, heights(bars, false, floor))
        .setFillColor(new Color(0x9aa4b2));
    VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
    // Letters are drawn as outlines with up to twelve decimals: nine tenths of the file.
    String svg = Files.readString(file).replaceAll("(\\.\\d\\d)\\d+", "$1");
    Files.writeString(file, svg.replaceFirst("<svg [^>]*>", "$0<title>" + title + "</title>"));
  }

  // Overlapped series need a height for every name; what is not theirs is on the floor.
  private static List<Double> heights(Map<String, Double> bars, boolean ours, double floor) {
    Map<String, Double> heights = new LinkedHashMap<>();
    bars.forEach((name, height) -> {
      boolean shown = name.toLowerCase(Locale.ROOT).contains("steadfast") == ours;
      heights.put(name, shown ? Math.max(floor, height) : floor);
    });
    return new ArrayList<>(heights.values());
  }
}
