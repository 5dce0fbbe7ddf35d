package dev.steadfast.retry.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every Java block of the README and the guides is a region of a class of this module, of the tests
 * of the SDKs, or of the example of an adapter, which is compiled and run by the tests of its
 * package.
 *
 * <p>A block names its region in an HTML comment on the line before it. A region goes from {@code
 * // region name} to {@code // endregion}.
 */
final class SnippetsTest {
  private static final String FENCE = "```";
  private static final List<Path> MODULES =
      List.of(
          Path.of(""),
          Path.of("spring-boot"),
          Pages.ROOT.resolve("internal/sdk-tests"),
          Pages.ROOT.resolve("retry-adapter-tck"));

  /** A Java block of a page; the region is empty if the page names none. */
  private record Block(Path page, int line, String region, List<String> code) {
    String title() {
      return Pages.ROOT.relativize(page) + ":" + line + " " + region;
    }
  }

  @TestFactory
  Stream<DynamicTest> everyBlockIsItsRegion() throws IOException {
    Map<String, List<String>> regions = regions();
    return blocks().stream()
        .map(block -> DynamicTest.dynamicTest(block.title(), () -> compare(block, regions)));
  }

  private static void compare(Block block, Map<String, List<String>> regions) {
    assertTrue(regions.containsKey(block.region()), "no region is named \"" + block.region() + '"');
    assertEquals(String.join("\n", regions.get(block.region())), String.join("\n", block.code()));
  }

  @Test
  void everyRegionIsShownSomewhere() throws IOException {
    Set<String> unused = new TreeSet<>(regions().keySet());
    blocks().forEach(block -> unused.remove(block.region()));
    assertEquals(Set.of(), unused);
  }

  @Test
  void thePropertiesOfTheSpringGuideAreThoseOfItsApplication() throws IOException {
    String file = Files.readString(Path.of("spring-boot/src/main/resources/application.yml"));
    for (String name : List.of("README.md", "docs/spring.md")) {
      String page = Files.readString(Pages.ROOT.resolve(name));
      String shown = page.split(FENCE + "yaml\n", 2)[1].split(FENCE, 2)[0];
      assertTrue(file.contains(shown), shown);
    }
  }

  // ---- pages

  private static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    for (Path page : Pages.all()) {
      List<String> lines = Files.readAllLines(page);
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).equals(FENCE + "java")) {
          int end = lines.subList(i + 1, lines.size()).indexOf(FENCE) + i + 1;
          String region = i == 0 ? "" : regionOf(lines.get(i - 1));
          blocks.add(new Block(page, i + 1, region, lines.subList(i + 1, end)));
        }
      }
    }
    return blocks;
  }

  private static String regionOf(String line) {
    String begin = "<!-- region: ";
    return line.startsWith(begin) ? line.substring(begin.length(), line.length() - 4) : "";
  }

  // ---- sources

  private static Map<String, List<String>> regions() throws IOException {
    Map<String, List<String>> regions = new LinkedHashMap<>();
    for (Path module : MODULES) {
      try (Stream<Path> sources = Files.walk(module.resolve("src"))) {
        for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
          collect(Files.readAllLines(source), regions);
        }
      }
    }
    return regions;
  }

  private static void collect(List<String> lines, Map<String, List<String>> regions) {
    String name = null;
    List<String> code = new ArrayList<>();
    for (String line : lines) {
      String text = line.strip();
      if (text.startsWith("// region ")) {
        name = text.substring("// region ".length());
        code = new ArrayList<>();
      } else if (text.equals("// endregion") && name != null) {
        // Without the blank lines at its end, which would count as lines without an indent.
        String shown = String.join("\n", code).stripTrailing().stripIndent().strip();
        List<String> before = regions.put(name, shown.lines().toList());
        assertEquals(null, before, "two regions are named " + name);
        name = null;
      } else {
        code.add(line);
      }
    }
    assertEquals(null, name, "the region does not end");
  }
}
