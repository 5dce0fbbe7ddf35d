package dev.steadfast.retry.examples.outage;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws attempts per second against time, a line per policy, of the OkHttp runs. */
final class OutageChart {
  private OutageChart() {}

  static void write(List<OutageRun> runs, Path file) throws IOException {
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(420)
            .title("Attempts per second: a 10 s stall at 70 % load (OkHttp)")
            .xAxisTitle("seconds")
            .yAxisTitle("attempts/s")
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    for (OutageRun run : runs) {
      if (run.client().equals("okhttp")) {
        chart.addSeries(run.policy(), seconds(), attempts(run)).setMarker(SeriesMarkers.NONE);
      }
    }
    double[] capacity = new double[OutageRun.SECONDS];
    java.util.Arrays.fill(capacity, 100);
    chart.addSeries("capacity", seconds(), capacity).setMarker(SeriesMarkers.NONE);
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    VectorGraphicsEncoder.saveVectorGraphic(
        chart, file.toString(), VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
  }

  private static double[] seconds() {
    double[] seconds = new double[OutageRun.SECONDS];
    for (int second = 0; second < seconds.length; second++) {
      seconds[second] = second;
    }
    return seconds;
  }

  private static double[] attempts(OutageRun run) {
    double[] attempts = new double[OutageRun.SECONDS];
    for (int second = 0; second < attempts.length; second++) {
      attempts[second] = run.timeline().attempts(second);
    }
    return attempts;
  }
}
