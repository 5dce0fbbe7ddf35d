package dev.steadfast.retry.torture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.torture.Finding.Kind;
import dev.steadfast.retry.torture.ToldLog.Event;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Each rule of the checker, with an operation that keeps it and one that breaks it. */
class CheckerTest {
  private static final String KILLED = "";

  private static Op operation(OperationKind kind) {
    return new Op("i1", 0, 0, kind, Op.Mode.CALL, 1, new Op.Style(false, false), null);
  }

  /** What the checker finds; a word is that of a call, none if its process was killed. */
  private static List<Kind> found(OperationKind kind, Facts.Row row, int effects, String... words) {
    List<Event> events = new ArrayList<>();
    for (String word : words) {
      events.add(new Event(ToldLog.Kind.INVOKED, "i1", "", "", ""));
      if (!word.equals(KILLED)) {
        events.add(new Event(ToldLog.Kind.TOLD, "i1", word, "", ""));
      }
    }
    Op operation = operation(kind);
    List<Facts.Payment> payments =
        IntStream.rangeClosed(1, effects)
            .mapToObj(number -> new Facts.Payment(number, kind.principal(), operation.account(), 1))
            .toList();
    Facts facts = new Facts(operation, events, List.of(), List.of(), row, payments);
    return Checker.judge(facts).stream().map(Finding::kind).toList();
  }

  private static List<Kind> found(Facts.Row row, int effects, String... words) {
    return found(OperationKind.KEYED, row, effects, words);
  }

  private static Facts.Row row(String state) {
    return new Facts.Row(state, false, 1, null, "");
  }

  private static Facts.Row delivered(String state) {
    return new Facts.Row(state, true, 1, null, "");
  }

  @Test
  void toldSucceededIsExactlyOneEffect() {
    assertEquals(List.of(), found(row("succeeded"), 1, "SUCCEEDED"));
    assertEquals(List.of(), found(row("succeeded"), 1, "UNKNOWN", KILLED, "SUCCEEDED"));
    assertTrue(found(row("succeeded"), 0, "SUCCEEDED").contains(Kind.LOST));
    assertEquals(List.of(Kind.DUPLICATE), found(row("succeeded"), 2, "SUCCEEDED"));
    assertEquals(List.of(Kind.WRONG), found(row("failed"), 1, "SUCCEEDED"));
  }

  @Test
  void toldFailedOrNeverSentIsNoEffect() {
    assertEquals(List.of(), found(row("failed"), 0, "FAILED"));
    assertEquals(List.of(), found(row("closed"), 0, "FAILED"));
    assertEquals(List.of(), found(row("closed"), 0, "NEVER_SENT"));
    assertEquals(List.of(Kind.WRONG), found(row("failed"), 1, "FAILED"));
    assertEquals(List.of(Kind.WRONG), found(row("closed"), 1, "NEVER_SENT"));
    assertEquals(List.of(Kind.WRONG), found(row("failed"), 0, "NEVER_SENT"));
    assertEquals(List.of(), found(row("succeeded"), 1, "NEVER_SENT", "SUCCEEDED"));
  }

  @Test
  void toldUnknownIsOneEffectAtMostAndSettled() {
    assertEquals(List.of(), found(row("succeeded"), 1, "UNKNOWN"));
    assertEquals(List.of(), found(row("failed"), 0, "UNKNOWN"));
    assertEquals(List.of(Kind.DUPLICATE), found(row("succeeded"), 2, "UNKNOWN"));
    assertEquals(List.of(Kind.WRONG), found(row("failed"), 1, "UNKNOWN"));
    assertEquals(List.of(Kind.WRONG), found(row("succeeded"), 0, "UNKNOWN"));
  }

  @Test
  void withAKeyOnTheWireUnknownIsSettledAndWithoutOneItMayStay() {
    assertEquals(List.of(Kind.LOST), found(OperationKind.SHORT, row("unknown"), 0, "UNKNOWN"));
    assertEquals(List.of(), found(OperationKind.KEYLESS, row("unknown"), 0, "UNKNOWN"));
    assertEquals(List.of(Kind.LOST), found(OperationKind.KEYLESS, row("unknown"), 1, "UNKNOWN"));
  }

  @Test
  void acceptedIsExactlyOneEffectUnlessItsRowSaysSo() {
    assertEquals(List.of(), found(delivered("succeeded"), 1, "ACCEPTED"));
    assertEquals(List.of(), found(delivered("failed"), 0, "ACCEPTED"));
    assertEquals(List.of(), found(OperationKind.KEYLESS, delivered("unknown"), 0, "ACCEPTED"));
    assertTrue(found(delivered("closed"), 0, "ACCEPTED").contains(Kind.LOST));
    assertEquals(List.of(Kind.LOST), found(delivered("ready"), 1, "ACCEPTED"));
    assertEquals(List.of(Kind.WRONG), found(row("succeeded"), 1, "ACCEPTED"));
    assertEquals(List.of(Kind.LOST, Kind.WRONG), found(null, 0, "ACCEPTED"));
  }

  @Test
  void whatACallerNeverHeardOfIsFinishedAllTheSame() {
    assertEquals(List.of(), found(null, 0, KILLED));
    assertEquals(List.of(), found(null, 0));
    assertEquals(List.of(), found(row("succeeded"), 1, KILLED));
    assertEquals(List.of(), found(row("failed"), 0, KILLED));
    assertEquals(List.of(Kind.LOST), found(row("in_flight"), 0, KILLED));
    assertEquals(List.of(Kind.LOST), found(row("ready"), 1, KILLED));
    assertEquals(List.of(Kind.LOST), found(null, 1, KILLED));
    assertEquals(List.of(Kind.LOST), found(null, 1, "UNKNOWN"));
  }

  @Test
  void aCallThatReturnsWithoutAWordIsWrong() {
    assertEquals(List.of(Kind.WRONG), found(row("succeeded"), 1, ToldLog.NO_WORD));
  }

  @Test
  void aRunHoldsIfEnoughHappenedAndNotTooMuchIsUnknown() {
    assertTrue(verdict(20, 10, List.of()).holds());
    assertFalse(verdict(19, 10, List.of()).holds());
    assertFalse(verdict(20, 11, List.of()).holds());
    assertFalse(verdict(20, 10, List.of("client 1 has ended with 1")).holds());
  }

  private static Verdict verdict(int faults, int unknownKeyed, List<String> surprises) {
    Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    for (Fault fault : Fault.values()) {
      counts.put(fault, faults);
    }
    return new Verdict(
        new Settings(7, 5, Break.NONE, Engine.JOURNAL),
        counts,
        new Verdict.Words(Map.of(Effect.SUCCEEDED, 100 - unknownKeyed), 100, unknownKeyed, 1),
        List.of(),
        surprises);
  }
}
