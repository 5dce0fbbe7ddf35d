package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request body yields, pass by pass. */
class SentBodyTest {
  private static final Object OWN = new Object();
  private static final Object ATTEMPT = new Object();

  private final SentBody body = new SentBody(OWN, () -> true);

  private SentBody.Pass pass(long length) {
    return body.pass(OWN, ATTEMPT, length);
  }

  private SentBody.Pass pass() {
    return pass(-1);
  }

  private static void take(SentBody.Pass pass, String text) throws RequestBodyChangedException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    pass.take(bytes, 0, bytes.length);
  }

  private void sent(String text) throws RequestBodyChangedException {
    SentBody.Pass pass = pass();
    take(pass, text);
    pass.end();
  }

  private static void assertChanged(SentBody.Pass pass, String text) {
    assertThrows(RequestBodyChangedException.class, () -> take(pass, text));
  }

  @Test
  void theSameBytes_inOtherPieces() throws Exception {
    SentBody.Pass first = pass();
    assertFalse(first.repeats());
    take(first, "abc");
    take(first, "def");
    first.end();
    SentBody.Pass second = pass();
    assertTrue(second.repeats());
    take(second, "a");
    take(second, "");
    take(second, "bcdef");
    second.end();
    assertEquals(6, second.bytes());
    assertNull(body.changed());
    assertFalse(body.isSpent());
  }

  @Test
  void otherBytes_areRefusedBeforeTheLastOnesAreSent() throws Exception {
    sent("abcdef");
    SentBody.Pass second = pass();
    take(second, "abX");
    RequestBodyChangedException thrown =
        assertThrows(RequestBodyChangedException.class, () -> take(second, "def"));
    assertEquals(
        "request body: 6 bytes that differ from the 6 bytes of the first time (expected: the same"
            + " bytes each time it is sent)",
        thrown.getMessage());
    assertSame(thrown, body.changed());
    assertTrue(body.isSpent());
    assertSame(thrown, assertThrows(RequestBodyChangedException.class, () -> take(second, "g")));
    assertSame(thrown, assertThrows(RequestBodyChangedException.class, second::end));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "abcde"})
  void fewerBytes_mustNotCompleteTheRequest(String less) throws Exception {
    sent("abcdef");
    SentBody.Pass second = pass();
    take(second, less);
    assertThrows(RequestBodyChangedException.class, second::checkEnd);
    assertThrows(RequestBodyChangedException.class, second::end);
  }

  @Test
  void moreBytes_areRefused() throws Exception {
    sent("abc");
    SentBody.Pass later = pass();
    take(later, "abc");
    assertChanged(later, "d");
  }

  @Test
  void moreBytesAtOnce_areRefused() throws Exception {
    sent("abc");
    assertChanged(pass(), "abcd");
  }

  @Test
  void onceItHasChanged_noPassMayComplete() throws Exception {
    SentBody.Pass first = pass();
    take(first, "ab");
    SentBody.Pass wrapped = body.pass("another body around it", ATTEMPT, -1);
    assertChanged(pass(), "aX");
    assertThrows(RequestBodyChangedException.class, first::end);
    assertThrows(RequestBodyChangedException.class, wrapped::end);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abcdeX", "abXdef"})
  void aPassThatBroke_isComparedAsFarAsItGot(String other) throws Exception {
    take(pass(), "abc");
    SentBody.Pass longer = pass();
    take(longer, "abcd");
    take(longer, "ef");
    longer.end();
    assertChanged(pass(), other);
  }

  @Test
  void aPassThatBroke_findsADifferenceInItsPart() throws Exception {
    take(pass(), "abc");
    assertChanged(pass(), "Xbcd");
    assertThrows(RequestBodyChangedException.class, () -> pass().end());
  }

  @Test
  void anEmptyBody_isKept() throws Exception {
    pass().end();
    assertTrue(pass().repeats());
    pass().end();
    assertChanged(pass(), "a");
  }

  @Test
  void aLengthThatDiffers_isKnownAtOnce() throws Exception {
    sent("abc");
    pass(3).check();
    SentBody.Pass other = pass(2);
    RequestBodyChangedException thrown =
        assertThrows(RequestBodyChangedException.class, other::check);
    assertTrue(thrown.getMessage().startsWith("request body: 2 bytes that differ from the 3"));
    assertThrows(RequestBodyChangedException.class, () -> take(other, "ab"));
  }

  /** The pass before broke, so its whole length is unknown; but it was longer. */
  @Test
  void bytesThatWouldCompleteAShorterRequest_areRefused() throws Exception {
    take(pass(), "abcd");
    SentBody.Pass shorter = pass(2);
    shorter.check();
    take(shorter, "a");
    assertChanged(shorter, "b");
  }

  @Test
  void directBuffers_andTheirPositions() throws Exception {
    ByteBuffer direct = ByteBuffer.allocateDirect(8);
    direct.put("xabcdefy".getBytes(StandardCharsets.US_ASCII)).position(1).limit(7);
    sent("abc");
    ByteBuffer same = direct.duplicate().limit(4);
    SentBody.Pass second = pass();
    second.take(same);
    assertFalse(same.hasRemaining());
    assertEquals(4, same.limit());
    second.end();
    assertThrows(RequestBodyChangedException.class, () -> pass().take(direct.duplicate()));
  }

  // ---- bodies that stand in its place

  private record Around(String text) {}

  @Test
  void oneAroundIt_isComparedWithOneOfItsClass_inAnotherAttempt() throws Exception {
    SentBody.Pass first = body.pass(new Around("1"), "attempt 1", -1);
    take(first, "abc");
    first.end();
    SentBody.Pass within = body.pass(new Around("2"), "attempt 1", -1);
    assertFalse(within.repeats());
    take(within, "Xbc");
    within.end();
    SentBody.Pass other = body.pass("another class", "attempt 2", -1);
    assertFalse(other.repeats());
    take(other, "?");
    other.end();
    SentBody.Pass later = body.pass(new Around("3"), "attempt 2", -1);
    assertTrue(later.repeats());
    assertChanged(later, "Xbc");
  }

  /** A server may refuse the head, and the client then sends the body with another one. */
  @Test
  void aPassThatYieldedNothing_isNotTheOneToCompareWith() throws Exception {
    body.pass(new Around("1"), "attempt 1", -1);
    SentBody.Pass after = body.pass(new Around("1"), "attempt 1", -1);
    take(after, "abc");
    after.end();
    assertChanged(body.pass(new Around("2"), "attempt 2", -1), "abX");
  }

  // ---- spent

  @ParameterizedTest
  @CsvSource({"true,false", "false,true"})
  void onlyOneThatIsReadOnce_isSpentWhenItIsAskedForItsBytes(boolean repeatable, boolean spent) {
    SentBody once = new SentBody(OWN, () -> repeatable);
    SentBody.Pass pass = once.pass(OWN, ATTEMPT, -1);
    assertFalse(once.isSpent());
    assertFalse(once.hasBegun());
    pass.begin();
    assertEquals(spent, once.isSpent());
    assertTrue(once.hasBegun());
  }

  @Test
  void anAdapterMayFindOutItself() {
    assertNotNull(body.changed("an interceptor has read it"));
    assertTrue(body.isSpent());
  }
}
