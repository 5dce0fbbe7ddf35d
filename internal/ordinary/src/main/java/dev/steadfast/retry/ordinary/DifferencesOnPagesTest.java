package dev.steadfast.retry.ordinary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.ordinary.rows.OrdinaryTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The page of each client lists what its rows declare, and nothing that no row shows. */
final class DifferencesOnPagesTest {
  private static final String SECTION = "## Where the wrapped client differs on purpose\n";

  /** Differences that no row can show: they are in a log, or need another failure. */
  private static final List<String> NOT_COMPARED =
      List.of(
          "that your callback.onresponse throws is logged by",
          "the connection of the attempt may be in use for a moment longer",
          "after shutdownnow() on the dispatcher's executor");

  /** The pages. */
  enum Page {
    OKHTTP("getting-started-okhttp.md", Entry.Library.OKHTTP),
    JDK("getting-started-java-net-http.md", Entry.Library.JDK),
    APACHE("getting-started-apache5.md", Entry.Library.APACHE, Entry.Library.APACHE_ASYNC);

    private final String file;

    @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
    private final Set<Entry.Library> libraries;

    Page(String file, Entry.Library... libraries) {
      this.file = file;
      this.libraries = Set.of(libraries);
    }

    /** Without marks, in small letters. */
    List<String> items() throws IOException {
      String text = Files.readString(Path.of("../../docs").resolve(file));
      String section =
          text.substring(text.indexOf(SECTION) + SECTION.length()).split("\n## ", 2)[0];
      String plain = section.replaceAll("\\]\\([^)]*\\)", "").replaceAll("[*`\\[]", "");
      return Arrays.stream(plain.split("\n- ", -1))
          .skip(1)
          .map(item -> item.replaceAll("\\s+", " ").toLowerCase(Locale.ROOT))
          .toList();
    }

    Set<String> declared() {
      Set<String> declared = new TreeSet<>();
      for (Row row : OrdinaryTable.rows()) {
        row.entries().stream()
            .filter(entry -> libraries.contains(entry.way().library()))
            .forEach(entry -> row.declared(entry).forEach(each -> declared.add(each.why())));
      }
      return declared;
    }
  }

  @TestFactory
  Stream<DynamicTest> aPageListsEachDeclaredDifference() {
    return pages().map(page -> DynamicTest.dynamicTest(page.file, () -> listsAll(page)));
  }

  @TestFactory
  Stream<DynamicTest> aRowShowsEachDifferenceThatAPageLists() {
    return pages().map(page -> DynamicTest.dynamicTest(page.file, () -> listsNoOther(page)));
  }

  /** The rows of other libraries do not run on OkHttp 4. */
  private static Stream<Page> pages() {
    return Arrays.stream(Page.values())
        .filter(page -> page.libraries.contains(Entry.Library.OKHTTP) || Setting.OKHTTP_5.isHere());
  }

  private static void listsAll(Page page) throws IOException {
    List<String> items = page.items();
    Set<String> missing = page.declared();
    missing.removeIf(
        why -> items.stream().anyMatch(item -> item.contains(why.toLowerCase(Locale.ROOT))));
    assertEquals(Set.of(), missing, page.file);
  }

  private static void listsNoOther(Page page) throws IOException {
    Set<String> declared = page.declared();
    List<String> others =
        page.items().stream()
            .filter(item ->
                declared.stream().noneMatch(why -> item.contains(why.toLowerCase(Locale.ROOT))))
            .filter(item -> NOT_COMPARED.stream().noneMatch(item::contains))
            .toList();
    assertEquals(List.of(), others, page.file);
  }
}
