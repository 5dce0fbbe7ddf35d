package dev.steadfast.retry;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Reads {@code vectors.json}: inputs and expected outputs, each with the document that it comes
 * from, in named groups.
 */
public final class Vectors {
  private static final String FILE = "/vectors.json";
  private static final List<Entry> ALL = read();

  private Vectors() {}

  /** One input with what it must lead to. */
  public record Vector(String name, JsonObject input, JsonObject expected, String source) {
    @Override
    public String toString() {
      return name;
    }
  }

  private record Entry(
      String group, String name, JsonObject input, JsonObject expected, String source) {}

  /** The vectors of one group; a group without vectors is a mistake of the test. */
  public static Stream<Vector> group(String group) {
    List<Vector> found =
        ALL.stream()
            .filter(each -> each.group().equals(group))
            .map(each -> new Vector(each.name(), each.input(), each.expected(), each.source()))
            .toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException("no vectors in group " + group);
    }
    return found.stream();
  }

  private static List<Entry> read() {
    try (InputStream in = Objects.requireNonNull(Vectors.class.getResourceAsStream(FILE), FILE)) {
      return List.of(
          new Gson().fromJson(new InputStreamReader(in, StandardCharsets.UTF_8), Entry[].class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
