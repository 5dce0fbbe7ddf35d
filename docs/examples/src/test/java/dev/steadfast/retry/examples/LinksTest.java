package dev.steadfast.retry.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class LinksTest {
  private static final Pattern NAMED = Pattern.compile("docs/[a-z/-]+\\.md");
  private static final Pattern LINK = Pattern.compile("]\\(([^)#:]*)(#[^)]*)?\\)");

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : Pages.all()) {
      LINK.matcher(Files.readString(page))
          .results()
          .filter(link -> !leadsSomewhere(page, link.group(1), link.group(2)))
          .forEach(link -> broken.add(page + ": " + link.group()));
    }
    assertEquals(List.of(), broken);
  }

  /** Sources name pages by their path from the root. */
  @Test
  void everyPageThatCodeNamesIsThere_andEveryDecisionIsNamedByAClass() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Path source : Pages.sources()) {
      NAMED.matcher(Files.readString(source)).results().forEach(page -> named.add(page.group()));
    }
    List<String> missing =
        named.stream().filter(page -> !Files.exists(Pages.ROOT.resolve(page))).toList();
    assertEquals(List.of(), missing);
    List<String> unnamed = new ArrayList<>();
    for (Path decision : Pages.decisions()) {
      String page = "docs/decisions/" + decision.getFileName();
      if (!named.contains(page)) {
        unnamed.add(page);
      }
    }
    assertEquals(List.of(), unnamed);
  }

  @Test
  void everyDecisionHasItsFourParts() throws IOException {
    for (Path decision : Pages.decisions()) {
      String text = Files.readString(decision);
      int at = 0;
      for (String part : List.of("Question", "Choice", "Because", "What would change it")) {
        int next = text.indexOf("**" + part + ".**", at);
        assertTrue(next > at, decision + " lacks, in this order: " + part);
        at = next;
      }
    }
  }

  private static boolean leadsSomewhere(Path page, String path, String anchor) {
    Path target = path.isEmpty() ? page : page.resolveSibling(path);
    if (anchor == null || !Files.exists(target)) {
      return Files.exists(target);
    }
    try {
      return Files.readAllLines(target).stream()
          .filter(line -> line.startsWith("#"))
          .anyMatch(line -> anchor(line).equals(anchor));
    } catch (IOException unreadable) {
      return false;
    }
  }

  /** How GitHub names the anchor of a heading. */
  private static String anchor(String heading) {
    String text = heading.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT);
    return "#" + text.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-');
  }
}
