package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.torture.ToldLog.Event;
import dev.steadfast.retry.torture.ToldLog.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the history says about one operation.
 *
 * @param operation the planned operation
 * @param events the calls of its caller and what they returned, in order
 * @param settled whether a look-up settled it
 * @param row the row of the journal; null for none
 * @param effects how many times it is in the ledger
 */
record Facts(Op operation, List<Event> events, boolean settled, Row row, int effects) {
  /** A row of the journal. */
  record Row(String state, boolean delivered, boolean sent) {
    boolean is(String... states) {
      return List.of(states).contains(state);
    }
  }

  /** Reads the facts of each operation from a history. */
  static Map<String, Facts> read(History history) {
    Map<String, List<Event>> events = new HashMap<>();
    for (int client = 0; client < Workload.CLIENTS; client++) {
      for (Event event : history.told(client).read()) {
        events.computeIfAbsent(event.intent(), each -> new ArrayList<>()).add(event);
      }
    }
    Map<String, Row> rows = rows(history);
    Map<String, Integer> effects = effects(history);
    Map<String, Facts> facts = new TreeMap<>();
    for (Op operation : history.operations()) {
      String intent = operation.intent();
      List<Event> all = events.getOrDefault(intent, List.of());
      List<Event> callers = all.stream().filter(each -> each.kind() != Kind.SETTLED).toList();
      facts.put(
          intent,
          new Facts(
              operation,
              callers,
              callers.size() < all.size(),
              rows.remove(intent),
              Optional.ofNullable(effects.remove(intent)).orElse(0)));
    }
    if (!rows.isEmpty() || !effects.isEmpty()) {
      throw new IllegalStateException(
          "not planned: "
              + rows.keySet()
              + " in the journal, "
              + effects.keySet()
              + " in the ledger");
    }
    return facts;
  }

  private static Map<String, Row> rows(History history) {
    Map<String, Row> rows = new HashMap<>();
    for (String line : history.lines("rows.tsv")) {
      String[] cells = line.split("\t", -1);
      rows.put(cells[0], new Row(cells[2], cells[3].equals("t"), cells[4].equals("t")));
    }
    return rows;
  }

  private static Map<String, Integer> effects(History history) {
    Map<String, Integer> effects = new HashMap<>();
    for (String line : history.lines("ledger.tsv")) {
      String[] cells = line.split("\t", -1);
      effects.put(cells[0], Integer.parseInt(cells[1]));
    }
    return effects;
  }

  /** Whether a caller was ever told that. */
  boolean everTold(Effect word) {
    return events.stream()
        .anyMatch(each -> each.kind() == Kind.TOLD && each.word().equals(word.name()));
  }

  /** Whether a call returned without a report. */
  boolean wordless() {
    return events.stream().anyMatch(each -> each.word().equals(ToldLog.NO_WORD));
  }

  /** What the caller was told last; empty if its last call has not returned. */
  Optional<String> lastWord() {
    return events.isEmpty() || events.get(events.size() - 1).kind() != Kind.TOLD
        ? Optional.empty()
        : Optional.of(events.get(events.size() - 1).word());
  }

  boolean lastWordIs(Effect word) {
    return lastWord().filter(word.name()::equals).isPresent();
  }
}
