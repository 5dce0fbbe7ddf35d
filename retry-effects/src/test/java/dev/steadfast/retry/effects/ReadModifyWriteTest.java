package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.Headers;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.effects.Entry.Setting;
import dev.steadfast.retry.effects.VersionedServer.Fault;
import dev.steadfast.retry.effects.VersionedServer.Plan;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose change it was that a write conflicts with, on real servers, through every entry point. */
class ReadModifyWriteTest {
  private static final Setting USUAL = Setting.USUAL;

  @AutoClose private VersionedServer server;

  @BeforeEach
  void start() throws IOException {
    server = new VersionedServer("a");
  }

  private static String addX(String value) {
    return value + "x";
  }

  private static void assertEnd(End end, Effect effect, EffectResult<String> result) {
    assertEquals(end + " " + effect, result.end() + " " + result.effect(), result::toString);
  }

  @ParameterizedTest
  @EnumSource
  void aWriteThatNobodyDisturbs_isAccepted(Entry entry) throws Exception {
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
    assertEquals("ab", server.value());
    assertEquals("ab", result.orElseThrow());
    assertEquals(204, result.answer().orElseThrow().status());
    assertEquals(1, result.report().orElseThrow().attempts());
  }

  @ParameterizedTest
  @EnumSource
  void bothRequests_carryWhatTheyNeed(Entry entry) throws Exception {
    entry.update(server.uri(), USUAL, each -> each + "b");
    Headers read = server.reads().get(0);
    assertEquals("no-cache", read.getFirst("Cache-Control"));
    assertEquals("identity", read.getFirst("Accept-Encoding"));
    assertFalse(read.containsKey("If-Match"));
    Headers write = server.writes().get(0);
    assertEquals("\"1\"", write.getFirst("If-Match"));
    assertEquals("Bearer b", write.getFirst("Authorization"));
    assertEquals("text/plain; charset=utf-8", write.getFirst("Content-Type"));
    assertEquals(List.of("PUT"), server.methods());
  }

  @ParameterizedTest
  @EnumSource
  void somebodyElsesChange_isReadAndKept(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.NONE).before(ReadModifyWriteTest::addX));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
    assertEquals("axb", server.value());
    assertEquals(2, server.reads().size());
  }

  @ParameterizedTest
  @EnumSource
  void aConflictMayBe409(Entry entry) throws Exception {
    server.conflictStatus(409, "").plan(Plan.of(Fault.NONE).before(ReadModifyWriteTest::addX));
    assertEnd(
        End.ACCEPTED, Effect.SUCCEEDED, entry.update(server.uri(), USUAL, each -> each + "b"));
    assertEquals("axb", server.value());
  }

  @ParameterizedTest
  @EnumSource
  void theOwnLostSuccess_isRecognized_andTheChangeIsNotAppliedTwice(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.LOST_AFTER));
    AtomicInteger asked = new AtomicInteger();
    EffectResult<String> result =
        entry.update(
            server.uri(),
            USUAL,
            each -> {
              asked.incrementAndGet();
              return each + "b";
            });
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, result);
    assertEquals("ab", server.value());
    assertEquals("ab", result.orElseThrow());
    assertEquals(1, asked.get());
    assertEquals(2, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatIsLostBeforeTheWrite_isNoConflict(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.LOST_BEFORE), Plan.of(Fault.UNAVAILABLE));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, result);
    assertEquals(1, server.changes());
    assertEquals(3, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void aLostSuccessThatWasChangedAgain_isUnknown_andNothingIsWrittenOnTop(Entry entry)
      throws Exception {
    server.plan(Plan.of(Fault.LOST_AFTER).after(ReadModifyWriteTest::addX));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.ANSWER_LOST, Effect.UNKNOWN, result);
    assertEquals("abx", server.value());
    assertEquals("abx", result.value().orElseThrow());
    assertThrows(IOException.class, result::orElseThrow);
  }

  @ParameterizedTest
  @EnumSource
  void aLostFailureAndSomebodyElsesChange_lookTheSame(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.LOST_BEFORE).after(ReadModifyWriteTest::addX));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.ANSWER_LOST, Effect.UNKNOWN, result);
    assertEquals("ax", server.value());
  }

  /** The value shows which changes it has seen, so nothing is unknown. */
  private static Effect byMark(String written, String found) {
    String mark = written.substring(written.length() - 1);
    return found.contains(mark) ? Effect.SUCCEEDED : Effect.FAILED;
  }

  @ParameterizedTest
  @EnumSource
  void aMarkInTheValue_tellsTheOwnChangeFromOthers(Entry entry) throws Exception {
    server.plan(
        Plan.of(Fault.LOST_BEFORE).after(ReadModifyWriteTest::addX),
        Plan.of(Fault.NONE), // 412
        Plan.of(Fault.LOST_AFTER).after(ReadModifyWriteTest::addX));
    EffectResult<String> result =
        entry.update(server.uri(), USUAL.ifLost(ReadModifyWriteTest::byMark), each -> each + "b");
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, result);
    assertEquals("axbx", server.value());
    assertEquals(1, server.changes());
  }

  @ParameterizedTest
  @EnumSource
  void aReadFromALaggingReplica_isNotTakenForTheAnswer(Entry entry) throws Exception {
    server.staleReads(1).plan(Plan.of(Fault.LOST_AFTER));
    EffectResult<String> result =
        entry.update(server.uri(), USUAL.ifLost(ReadModifyWriteTest::byMark), each -> each + "b");
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, result);
    assertEquals("ab", server.value());
    assertEquals(3, server.reads().size());
  }

  /** It does not show the lost write, which was applied to a later value. */
  @ParameterizedTest
  @EnumSource
  void anEvenOlderValue_doesNotHaveTheChangeAppliedTwice(Entry entry) throws Exception {
    server.plan(
        Plan.of(Fault.NONE).before(ReadModifyWriteTest::addX),
        Plan.of(Fault.LOST_AFTER)
            .after(each -> {
              server.showOnce(1, "a");
              return each;
            }));
    Setting setting =
        USUAL
            .policy(Entry.AT_ONCE.toBuilder().maxAttempts(5).build())
            .ifLost(ReadModifyWriteTest::byMark);
    EffectResult<String> result = entry.update(server.uri(), setting, each -> each + "b");
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, result);
    assertEquals("axb", server.value());
    assertEquals(1, server.changes());
  }

  @ParameterizedTest
  @EnumSource
  void aVersionInTheBody_needsNoTag(Entry entry) throws Exception {
    server
        .versionInBody()
        .conflictStatus(409, "")
        .plan(Plan.of(Fault.NONE).before(ReadModifyWriteTest::addX), Plan.of(Fault.LOST_AFTER));
    EffectResult<String> result =
        entry.update(
            server.uri(),
            USUAL
                .versionInBody()
                .ifLost((written, found) ->
                    found.endsWith(written.substring(written.indexOf(':') + 1))
                        ? Effect.SUCCEEDED
                        : Effect.UNKNOWN),
            each -> each + "b");
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, result);
    assertEquals("axb", server.value());
    assertFalse(server.writes().get(0).containsKey("If-Match"));
  }

  @ParameterizedTest
  @EnumSource
  void aPatchUnderACondition_isRepeated(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.LOST_BEFORE), Plan.of(Fault.LOST_AFTER));
    EffectResult<String> result = entry.update(server.uri(), USUAL.byPatch(), each -> each + "b");
    assertEnd(End.ALREADY_APPLIED, Effect.SUCCEEDED, result);
    assertEquals(List.of("PATCH", "PATCH", "PATCH"), server.methods());
    assertEquals("ab", server.value());
  }

  @ParameterizedTest
  @EnumSource
  void nothingToChange_writesNothing(Entry entry) throws Exception {
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> null);
    assertEnd(End.UNCHANGED, Effect.NEVER_SENT, result);
    assertEquals("a", result.orElseThrow());
    assertEquals(0, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void nothingToChangeAnyMore_tellsOfTheRefusedWrite(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.NONE).before(ReadModifyWriteTest::addX));
    EffectResult<String> result =
        entry.update(server.uri(), USUAL, each -> each.equals("a") ? "ab" : null);
    assertEnd(End.UNCHANGED, Effect.FAILED, result);
    assertEquals("ax", result.orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedWrite_endsTheUpdate(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.FORBIDDEN));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.WRITE_FAILED, Effect.FAILED, result);
    assertEquals(403, result.answer().orElseThrow().status());
    assertEquals("not yours", Entry.text(result.body()));
    IOException thrown = assertThrows(IOException.class, result::orElseThrow);
    assertEquals("FAILED, WRITE_FAILED, status 403", thrown.getMessage());
  }

  /** OkHttp follows it with a GET, whose 200 says nothing of the write. */
  @ParameterizedTest
  @EnumSource
  void aRedirectToAnotherPage_isNotTakenForSuccess(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.MOVED));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals(entry.jdk() ? 302 : 200, result.answer().orElseThrow().status());
    assertEquals("a", result.value().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalAfterALostAnswer_provesNothing(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.LOST_AFTER), Plan.of(Fault.FORBIDDEN));
    assertEnd(
        End.WRITE_FAILED, Effect.UNKNOWN, entry.update(server.uri(), USUAL, each -> each + "b"));
  }

  /** The lost write is sent again, as a replica still shows what was there before it. */
  @ParameterizedTest
  @EnumSource
  void aRefusalInALaterRound_provesNothingOfTheLostWrite(Entry entry) throws Exception {
    server
        .staleReads(1)
        .plan(Plan.of(Fault.LOST_AFTER), Plan.of(Fault.NONE), Plan.of(Fault.FORBIDDEN));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals("ab", server.value());
    assertEquals(3, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void aWriteWithoutAnyAnswer_isUnknown_andCarriesItsException(Entry entry) throws Exception {
    Plan lost = Plan.of(Fault.LOST_BEFORE);
    server.plan(lost, lost, lost, lost);
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    Throwable failure = result.failure().orElseThrow();
    assertSame(failure, assertThrows(IOException.class, result::orElseThrow));
    assertTrue(result.report().orElseThrow().outcomeUnknown());
    assertTrue(result.answer().isEmpty());
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatIsDown_isNotRead(Entry entry) throws Exception {
    URI uri = server.uri();
    server.close();
    EffectResult<String> result = entry.update(uri, USUAL, each -> each + "b");
    assertEnd(End.READ_FAILED, Effect.NEVER_SENT, result);
    assertInstanceOf(IOException.class, result.failure().orElseThrow());
    assertTrue(result.value().isEmpty());
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerWithoutTheValue_isNotRead(Entry entry) throws Exception {
    server.readStatus(404);
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.READ_FAILED, Effect.NEVER_SENT, result);
    assertEquals(404, result.answer().orElseThrow().status());
    assertEquals(0, server.writes().size());
  }
}
