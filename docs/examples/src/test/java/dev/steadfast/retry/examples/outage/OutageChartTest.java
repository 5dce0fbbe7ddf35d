package dev.steadfast.retry.examples.outage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

final class OutageChartTest {
  private static final int SIZE_LIMIT = 700_000;

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
    assertTrue(!Files.readString(empty).equals(Files.readString(full)), "the data is not drawn");
  }

  private static List<OutageRun> runs() throws Exception {
    List<OutageRun> runs = new ArrayList<>();
    for (OutageRun.Client client : OutageRun.Client.values()) {
      for (Policy policy : Policy.values()) {
        runs.add(new OutageRun(client, policy, Scenario.stalledQueue(), System.nanoTime()));
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
