package dev.steadfast.retry.examples.outage;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.AffineTransform;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Attempts per second over time: a panel for each policy, one below the other. */
final class OutageChart {
  private static final int WIDTH = 860;
  private static final int PANEL = 300;
  private static final int LEGEND = 75;
  private static final int LEAST_TOP = 320;

  private static final Color INK = new Color(0x1f2328);
  private static final Color GRID = new Color(0xd1d9e0);
  private static final Color STALLED = new Color(0xdfe3e8);
  private static final Color RETRIES = new Color(0xf0883e);
  private static final Color FIRST_TRIES = new Color(0x79b8ff);
  private static final Color SUCCESSES = new Color(0x1a7f37);
  private static final Color LIMIT = new Color(0xcf222e);

  private static final BasicStroke LINE = new BasicStroke(2.5f);
  private static final BasicStroke THIN = new BasicStroke(1.5f);
  private static final BasicStroke DASHED =
      new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {9, 6}, 0);

  private static final BasicStroke DOTTED =
      new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {3, 4}, 0);

  private static final String RECOVERED = "recovered";
  private static final int NEVER_SHOWN = 2 * Scenario.PATIENCE;
  private static final Pattern FIRST_TAG = Pattern.compile("<svg[^>]*>");
  private static final Pattern DECIMALS = Pattern.compile("-?\\d+\\.\\d{2,}(?=[ ,\"a-zA-Z)])");

  private static final String TITLE =
      "Attempts per second while a server stalls for "
          + Scenario.STALL
          + " s, and after that, with five policies";

  private final double top;
  private final boolean last;

  private OutageChart(double top, boolean last) {
    this.top = top;
    this.last = last;
  }

  /** Draws the runs, and makes the folder if need be. */
  static void write(List<OutageRun> runs, Path file) throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    double top = top(runs);
    int height = 0;
    for (Policy policy : Policy.values()) {
      List<OutageRun> panel = runs.stream().filter(run -> run.policy() == policy).toList();
      boolean last = policy == Policy.LIMIT;
      int panelHeight = PANEL + (last ? LEGEND : 0);
      graphics.setTransform(AffineTransform.getTranslateInstance(0, height));
      graphics.setClip(0, 0, WIDTH, panelHeight);
      new OutageChart(top, last).panel(policy, panel).paint(graphics, WIDTH, panelHeight);
      height += panelHeight;
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, rounded(svg(graphics, height)));
  }

  private static String svg(VectorGraphics2D graphics, int height) throws IOException {
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    new SVGProcessor()
        .getDocument(graphics.getCommands(), new PageSize(WIDTH, height))
        .writeTo(svg);
    String title = "<title>" + TITLE + "</title>";
    return FIRST_TAG.matcher(svg.toString(StandardCharsets.UTF_8)).replaceFirst("$0" + title);
  }

  /** A tenth of a pixel is enough, and a third of the size: the letters are drawn as curves. */
  private static String rounded(String svg) {
    return DECIMALS
        .matcher(svg)
        .replaceAll(number ->
            new BigDecimal(number.group())
                .setScale(1, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString());
  }

  /** All panels have the same scale, and nothing is cut off. */
  private static double top(List<OutageRun> runs) {
    int most = LEAST_TOP;
    for (OutageRun run : runs) {
      most = Math.max(most, run.tally().peak());
    }
    return most;
  }

  private XYChart panel(Policy policy, List<OutageRun> runs) {
    XYChart chart = new XYChartBuilder().width(WIDTH).height(PANEL).build();
    chart.setTitle(policy + ": " + policy.title() + "; " + outcome(runs));
    style(chart.getStyler());
    chart.setYAxisTitle("per second");
    if (last) {
      chart.setXAxisTitle("seconds after the stall");
    }
    Tally okHttp = tally(runs, OutageRun.Client.OKHTTP);
    area(chart, "stall", new double[] {-Scenario.STALL, 0}, new double[] {top, top}, STALLED);
    area(chart, "retries", seconds(okHttp), perSecond(okHttp, okHttp::attemptsIn), RETRIES);
    area(
        chart,
        "first tries",
        seconds(okHttp),
        perSecond(okHttp, okHttp::firstTriesIn),
        FIRST_TRIES);
    Tally jdk = tally(runs, OutageRun.Client.JDK);
    line(chart, "attempts, jdk", seconds(jdk), perSecond(jdk, jdk::attemptsIn), INK, THIN);
    line(
        chart,
        "successes",
        seconds(okHttp),
        perSecond(okHttp, okHttp::succeededIn),
        SUCCESSES,
        LINE);
    double[] ends = {-Scenario.STALL_ENDS, Scenario.PATIENCE};
    double capacity = Scenario.CAPACITY;
    line(chart, "capacity", ends, new double[] {capacity, capacity}, LIMIT, DASHED);
    runs.forEach(run -> run.recovery().ifPresent(at -> recovery(chart, run, at)));
    if (runs.stream().allMatch(run -> run.recovery().isEmpty())) {
      recovery(chart, runs.get(0), NEVER_SHOWN); // for the legend
    }
    return chart;
  }

  private static String outcome(List<OutageRun> runs) {
    return runs.stream()
        .map(run -> run.client() + " " + OutageReport.text(run.recovery(), " s"))
        .collect(Collectors.joining(", "));
  }

  private static Tally tally(List<OutageRun> runs, OutageRun.Client client) {
    return runs.stream().filter(run -> run.client() == client).findFirst().orElseThrow().tally();
  }

  private static double[] seconds(Tally tally) {
    return perSecond(tally, second -> second - Scenario.STALL_ENDS);
  }

  private static double[] perSecond(Tally tally, IntUnaryOperator count) {
    int shown = tally.seconds() - Tally.GOOD_SECONDS;
    return IntStream.rangeClosed(0, shown).map(count).asDoubleStream().toArray();
  }

  private static void area(XYChart chart, String name, double[] x, double[] y, Color color) {
    XYSeries series = chart.addSeries(name, x, y);
    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Area);
    series.setFillColor(color);
    series.setLineColor(color);
    series.setLineStyle(LINE);
    series.setMarker(SeriesMarkers.NONE);
  }

  private static void line(
      XYChart chart, String name, double[] x, double[] y, Color color, BasicStroke stroke) {
    XYSeries series = chart.addSeries(name, x, y);
    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
    series.setLineColor(color);
    series.setLineStyle(stroke);
    series.setMarker(SeriesMarkers.NONE);
  }

  private void recovery(XYChart chart, OutageRun run, int at) {
    boolean first = !chart.getSeriesMap().containsKey(RECOVERED);
    String name = first ? RECOVERED : RECOVERED + " " + run.client();
    line(chart, name, new double[] {at, at}, new double[] {0, top}, SUCCESSES, DOTTED);
    chart.getSeriesMap().get(name).setShowInLegend(first);
  }

  private void style(XYStyler styler) {
    styler.setBaseFont(new Font(Font.SANS_SERIF, Font.PLAIN, 18));
    styler.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 19));
    styler.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 17));
    styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 18));
    styler.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 15)); // the widest that fits
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setPlotBackgroundColor(Color.WHITE);
    styler.setChartFontColor(INK);
    styler.setAxisTickLabelsColor(INK);
    styler.setPlotGridLinesColor(GRID);
    styler.setPlotGridLinesStroke(new BasicStroke(1)); // a dash is an outline of its own in SVG
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setYAxisTickMarkSpacingHint(60);
    styler.setPlotBorderVisible(false);
    styler.setPlotContentSize(1);
    styler.setChartTitleBoxVisible(false);
    styler.setXAxisMin((double) -Scenario.STALL_ENDS);
    styler.setXAxisMax((double) Scenario.PATIENCE);
    styler.setYAxisMin(0.0);
    styler.setYAxisMax(top);
    styler.setXAxisDecimalPattern("0");
    styler.setYAxisDecimalPattern("0");
    styler.setLegendVisible(last);
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
  }
}
