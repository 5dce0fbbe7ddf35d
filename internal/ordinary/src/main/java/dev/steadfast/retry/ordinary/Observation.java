package dev.steadfast.retry.ordinary;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What was seen of one run, in sections of lines. Safe for use by many threads. */
public final class Observation {
  private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern TUBE = Pattern.compile("SocketTube\\(\\d+\\) \\[[^\\]]*\\] ");
  private static final Pattern UNSAFE =
      Pattern.compile("#(\\d+) (on connection \\d+: )?(POST|PATCH) .*");

  private final Map<String, List<String>> sections = new LinkedHashMap<>();
  private final Map<String, String> names = new LinkedHashMap<>();

  /** Has a text that differs from run to run, such as a port, replaced by a name. */
  public synchronized void name(String text, String name) {
    names.put(text, name);
  }

  /** Appends a line to a section. */
  public synchronized void note(String section, String line) {
    String named = line;
    for (Map.Entry<String, String> each : names.entrySet()) {
      named = named.replace(each.getKey(), each.getValue());
    }
    String text = TUBE.matcher(UUID.matcher(named).replaceAll("UUID")).replaceAll("SocketTube ");
    sections.computeIfAbsent(section, key -> new ArrayList<>()).add(text);
  }

  /** The lines of a section so far. */
  public synchronized List<String> lines(String section) {
    return List.copyOf(sections.getOrDefault(section, List.of()));
  }

  synchronized Set<String> sections() {
    return new TreeSet<>(sections.keySet());
  }

  synchronized void sort(String section) {
    List<String> lines = sections.get(section);
    if (lines != null) {
      lines.sort(null);
    }
  }

  /**
   * Takes away the one header that this policy adds: a key on each POST and PATCH. A request that
   * has none is noted.
   */
  synchronized void withoutAddedKeys(Observation plain) {
    List<String> headers = sections.get("headers");
    if (headers == null) {
      return;
    }
    List<String> own = plain.lines("headers");
    if (lines("requests").stream().noneMatch(line -> line.startsWith("#"))) {
      withoutAddedKeysInAnyOrder(headers);
      return;
    }
    for (String request : lines("requests")) {
      var unsafe = UNSAFE.matcher(request);
      if (!unsafe.matches()) {
        continue;
      }
      String number = unsafe.group(1);
      List<String> keys =
          headers.stream()
              .filter(line -> line.startsWith("#" + number + " "))
              .filter(
                  line -> line.regionMatches(true, number.length() + 2, "Idempotency-Key:", 0, 16))
              .filter(line -> !own.contains(line))
              .toList();
      if (keys.size() == 1 && keys.get(0).endsWith(": UUID")) {
        headers.remove(keys.get(0));
      } else if (keys.size() > 1 || own.stream().noneMatch(line -> isKey(line, number))) {
        headers.add("#" + number + " (added keys: " + keys + ")");
      }
    }
  }

  private void withoutAddedKeysInAnyOrder(List<String> headers) {
    String key = "Idempotency-Key: UUID";
    long unsafe =
        lines("requests").stream()
            .filter(line -> line.startsWith("POST ") || line.startsWith("PATCH "))
            .count();
    if (headers.stream().filter(key::equals).count() == unsafe) {
      headers.removeIf(key::equals);
    }
  }

  private static boolean isKey(String line, String number) {
    return line.regionMatches(true, 0, "#" + number + " Idempotency-Key:", 0, number.length() + 18);
  }
}
