package dev.steadfast.retry.torture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.steadfast.retry.torture.Facts.Payment;
import dev.steadfast.retry.torture.Facts.Place;
import dev.steadfast.retry.torture.Facts.Row;
import dev.steadfast.retry.torture.ToldLog.Event;
import dev.steadfast.retry.torture.ToldLog.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was asked for, sent, done and answered is compared. */
class ContentsTest {
  private static final Op ASKED =
      new Op("i1", 0, 0, OperationKind.KEYED, Op.Mode.CALL, 5, new Op.Style(false, false), null);
  private static final Row ROW = new Row("succeeded", false, 1, null, "web");
  private static final Payment MADE = new Payment(7, "usual", ASKED.account(), 5);
  private static final String ANSWER = "201 {\"intent\":\"i1\",\"payment\":7}";

  private static Event event(Kind kind, String word, String answer) {
    return new Event(kind, "i1", word, "", answer);
  }

  private static String wrong(Row row, Payment made, Event... events) {
    List<Event> own = List.of(events).stream().filter(each -> each.kind().ofCaller()).toList();
    List<Event> others = List.of(events).stream().filter(each -> !each.kind().ofCaller()).toList();
    return Contents.wrong(new Facts(ASKED, own, others, List.of(), row, List.of(made)));
  }

  @Test
  void amountAccountAndPrincipalAreThoseThatWereAskedFor() {
    assertNull(wrong(ROW, MADE));
    assertNotNull(wrong(ROW, new Payment(7, "usual", ASKED.account(), 6)));
    assertNotNull(wrong(ROW, new Payment(7, "usual", "another", 5)));
    assertNotNull(wrong(ROW, new Payment(7, "short", ASKED.account(), 5)));
  }

  @Test
  void theAnswerIsThatOfThePaymentInTheLedger() {
    assertNull(wrong(ROW, MADE, event(Kind.TOLD, "SUCCEEDED", ANSWER)));
    assertNull(wrong(ROW, MADE, event(Kind.TOLD, "SUCCEEDED", "")));
    assertNull(wrong(ROW, MADE, event(Kind.TOLD, "UNKNOWN", "503 ")));
    assertNotNull(wrong(ROW, MADE, event(Kind.TOLD, "SUCCEEDED", ANSWER.replace("7", "8"))));
    assertNotNull(wrong(ROW, MADE, event(Kind.TOLD, "SUCCEEDED", ANSWER.replace("i1", "i2"))));
    assertNotNull(wrong(ROW, MADE, event(Kind.TOLD, "SUCCEEDED", "503 ")));
    assertNotNull(wrong(ROW, MADE, event(Kind.TOLD, "UNKNOWN", ANSWER.replace("7", "8"))));
    assertNotNull(wrong(ROW, MADE, event(Kind.TOLD, "FAILED", ANSWER)));
    assertNotNull(wrong(ROW, MADE, event(Kind.TOLD, "FAILED", "503 ")));
  }

  @Test
  void aChangedRequestGetsNoAnswerAndNoEffectOfItsOwn() {
    assertNull(wrong(ROW, MADE, event(Kind.CHANGED, "UNKNOWN", "")));
    assertNotNull(wrong(ROW, MADE, event(Kind.CHANGED, "SUCCEEDED", "")));
    assertNotNull(wrong(ROW, MADE, event(Kind.CHANGED, "ACCEPTED", "")));
    assertNotNull(wrong(ROW, MADE, event(Kind.CHANGED, "UNKNOWN", ANSWER)));
  }

  @Test
  void aStoredAnswerIsHandedBackToWhomeverBeganTheOperation() {
    assertNull(wrong(ROW, MADE, handedBack("web")));
    assertNotNull(wrong(ROW, MADE, handedBack("job")));
  }

  private static Event handedBack(String principal) {
    Caller caller = new Caller(principal, true);
    PaymentClient.Told told =
        caller.told(new PaymentClient.Told("SUCCEEDED", "answered", ANSWER, false, true));
    return new Event(Kind.TOLD, "i1", told.word(), told.note(), told.answer());
  }

  private static Event claimed(String token, long asked, long known) {
    return new Event(Kind.CLAIMED, "i1", token, asked + ToldLog.TO + known, "");
  }

  private static Event noted(String token, long millis) {
    return new Event(Kind.NOTED, "i1", token, Long.toString(millis), "");
  }

  @Test
  void aClaimThatWasLostNotesNothing() {
    Event first = claimed("a", 9, 10);
    Event second = claimed("b", 18, 20);
    assertNull(Claims.wrong(List.of(first, noted("a", 15), second)));
    assertNull(Claims.wrong(List.of(first, second, noted("b", 25))));
    assertNotNull(Claims.wrong(List.of(first, second, noted("a", 25))));
    // The other one may have been granted before, and its process frozen then.
    assertNull(Claims.wrong(List.of(first, claimed("b", 5, 20), noted("a", 25))));
  }

  @Test
  void whatWasDoneWasClaimed() {
    assertNotNull(wrong(new Row("succeeded", false, 0, null, "web"), MADE));
  }

  @Test
  void whatWasWrongOnTheWireIsSeen() {
    List<String> wire = List.of("was sent with account other in its header");
    assertEquals(
        wire.get(0),
        Contents.wrong(new Facts(ASKED, List.of(), List.of(), wire, ROW, List.of(MADE))));
  }

  private static Facts placed(long number, long payment) {
    Row row = new Row("succeeded", true, 1, new Place("sequence-0", number), "");
    Payment made = new Payment(payment, "usual", ASKED.account(), 5);
    return new Facts(ASKED, List.of(), List.of(), List.of(), row, List.of(made));
  }

  @Test
  void theOrderOfASequenceIsThatOfThePayments() {
    assertEquals(List.of(), Order.judge(List.of(placed(2, 9), placed(1, 3), placed(4, 12))));
    assertEquals(1, Order.judge(List.of(placed(2, 3), placed(1, 9), placed(4, 12))).size());
  }
}
