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
import java.util.stream.Collectors;

/**
 * What the history says about one operation.
 *
 * @param operation the planned operation
 * @param events the calls of its caller and what they returned, in order
 * @param others what else its client has logged of it
 * @param wire what was wrong with its requests
 * @param row the row of the journal; null for none
 * @param payments what the ledger has of it
 */
record Facts(
    Op operation,
    List<Event> events,
    List<Event> others,
    List<String> wire,
    Row row,
    List<Payment> payments) {
  /**
   * A row of the journal.
   *
   * @param claims how many times it was claimed
   * @param place its place in a sequence; null for none
   * @param caller the principal of the scope that began it; empty for none
   */
  record Row(String state, boolean delivered, int claims, Place place, String caller) {
    boolean is(String... states) {
      return List.of(states).contains(state);
    }
  }

  /** A place in a sequence. */
  record Place(String sequence, long number) {}

  /** A row of the ledger. The numbers of payments follow the order in which they were made. */
  record Payment(long number, String principal, String account, long amount) {}

  /** How many times it was done. */
  int effects() {
    return payments.size();
  }

  /** Whether it was claimed by whoever delivers: nobody else sends what is only enlisted. */
  boolean resumed() {
    return operation.mode() == Op.Mode.ENLIST && row != null && row.claims > 0;
  }

  /** Whether a look-up settled it. */
  boolean settled() {
    return others.stream().anyMatch(each -> each.kind() == Kind.SETTLED);
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
    Map<String, List<Payment>> payments = payments(history);
    Map<String, List<String>> wire = new HashMap<>();
    for (String line : history.lines("wire.tsv")) {
      String[] cells = line.split("\t", -1);
      wire.computeIfAbsent(cells[0], each -> new ArrayList<>()).add(cells[1]);
    }
    Map<String, Facts> facts = new TreeMap<>();
    for (Op operation : history.operations()) {
      String intent = operation.intent();
      List<Event> all = events.getOrDefault(intent, List.of());
      Map<Boolean, List<Event>> byCaller =
          all.stream().collect(Collectors.partitioningBy(each -> each.kind().ofCaller()));
      facts.put(
          intent,
          new Facts(
              operation,
              byCaller.get(true),
              byCaller.get(false),
              wire.getOrDefault(intent, List.of()),
              rows.remove(intent),
              Optional.ofNullable(payments.remove(intent)).orElse(List.of())));
    }
    if (!rows.isEmpty() || !payments.isEmpty()) {
      throw new IllegalStateException(
          "not planned: "
              + rows.keySet()
              + " in the journal, "
              + payments.keySet()
              + " in the ledger");
    }
    return facts;
  }

  private static Map<String, Row> rows(History history) {
    Map<String, Row> rows = new HashMap<>();
    for (String line : history.lines("rows.tsv")) {
      String[] cells = line.split("\t", -1);
      Place place = cells[4].isEmpty() ? null : new Place(cells[4], Long.parseLong(cells[5]));
      rows.put(
          cells[0],
          new Row(cells[1], cells[2].equals("t"), Integer.parseInt(cells[3]), place, cells[6]));
    }
    return rows;
  }

  private static Map<String, List<Payment>> payments(History history) {
    Map<String, List<Payment>> payments = new HashMap<>();
    for (String line : history.lines("ledger.tsv")) {
      String[] cells = line.split("\t", -1);
      payments
          .computeIfAbsent(cells[0], each -> new ArrayList<>())
          .add(new Payment(Long.parseLong(cells[1]), cells[2], cells[3], Long.parseLong(cells[4])));
    }
    return payments;
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
