package dev.steadfast.retry.examples.outage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

final class OutageChartTest {
  private static final int SIZE_LIMIT = 700_000;
  private static final int WIDTH = 860;
  private static final Pattern WORD =
      Pattern.compile("transform=\"translate\\(([\\d.]+) [\\d.]+\\)\">\\s*<path d=\"([^\"]*)\"");
  private static final Pattern POINT = Pattern.compile("[ML](-?[\\d.]+),");

  @TempDir private Path folder;

  @Test
  void drawsWhatHappened() throws Exception {
    Path empty = folder.resolve("empty.svg");
    Path full = folder.resolve("made/full.svg");
    List<OutageRun> runs = runs();
    try {
      OutageChart.write(runs, empty);
      runs.forEach(run -> fill(run.tally()));
      OutageChart.write(runs, full);
    } finally {
      runs.forEach(OutageRun::close);
    }
    assertEquals("svg", parse(full).getDocumentElement().getTagName());
    assertTrue(lines(full) > 100, "lines: " + lines(full));
    assertEquals(1, parse(full).getElementsByTagName("title").getLength());
    assertTrue(Files.size(full) < SIZE_LIMIT, "size: " + Files.size(full));
    assertTrue(rightmost(Files.readString(full)) <= WIDTH, "a word is cut off at the right");
    assertTrue(!Files.readString(empty).equals(Files.readString(full)), "the data is not drawn");
  }

  private static List<OutageRun> runs() throws Exception {
    List<OutageRun> runs = new ArrayList<>();
    for (OutageRun.Client client : OutageRun.Client.values()) {
      for (Policy policy : Policy.values()) {
        runs.add(new OutageRun(client, policy, Scenario.stalledWorld(), System.nanoTime()));
      }
    }
    return runs;
  }

  private static void fill(Tally tally) {
    for (long arrival : Scenario.arrivals(Scenario.SEED)) {
      tally.began(arrival);
      tally.succeeded(arrival);
      tally.attempted(arrival, false);
    }
  }

  /** The rightmost point of a word: words are drawn as curves, each moved to its place. */
  private static double rightmost(String svg) {
    double rightmost = 0;
    Matcher word = WORD.matcher(svg);
    while (word.find()) {
      double left = Double.parseDouble(word.group(1));
      Matcher point = POINT.matcher(word.group(2));
      while (point.find()) {
        rightmost = Math.max(rightmost, left + Double.parseDouble(point.group(1)));
      }
    }
    assertTrue(rightmost > WIDTH / 2.0, "no words");
    return rightmost;
  }

  private static int lines(Path file) throws Exception {
    return parse(file).getElementsByTagName("line").getLength();
  }

  private static Document parse(Path file) throws Exception {
    DocumentBuilderFactory parsers = DocumentBuilderFactory.newInstance();
    // The document type names a file on the network.
    parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    return parsers.newDocumentBuilder().parse(file.toFile());
  }
}
