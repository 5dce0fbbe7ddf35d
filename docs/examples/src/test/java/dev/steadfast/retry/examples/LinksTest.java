package dev.steadfast.retry.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class LinksTest {
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
