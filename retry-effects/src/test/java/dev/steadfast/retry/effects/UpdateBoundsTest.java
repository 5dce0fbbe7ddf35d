package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.effects.Entry.Setting;
import dev.steadfast.retry.effects.VersionedServer.Fault;
import dev.steadfast.retry.effects.VersionedServer.Plan;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What bounds an update: rounds, time, the caller, and answers that are no use. */
class UpdateBoundsTest {
  private static final Setting USUAL = Setting.USUAL;

  @AutoClose private VersionedServer server;

  @BeforeEach
  void start() throws IOException {
    server = new VersionedServer("a");
  }

  private static void assertEnd(End end, Effect effect, EffectResult<String> result) {
    assertEquals(end + " " + effect, result.end() + " " + result.effect(), result::toString);
  }

  @ParameterizedTest
  @EnumSource
  void othersWhoAreAlwaysFaster_useUpTheRounds(Entry entry) throws Exception {
    Plan disturbed = Plan.of(Fault.NONE).before(each -> each + "x");
    server.plan(disturbed, disturbed, disturbed, disturbed);
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.CONTENDED, Effect.FAILED, result);
    assertEquals("axxx", server.value());
    assertEquals(3, server.reads().size());
    assertEquals(412, result.answer().orElseThrow().status());
  }

  @ParameterizedTest
  @EnumSource
  void aTagThatNeverChanges_hasItsOwnReason(Entry entry) throws Exception {
    server.tags((version, read) -> List.of("\"same\""));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.VERSION_UNCHANGED, Effect.FAILED, result);
    assertEquals(3, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void aTagThatChangesOnEveryRead_hasItsOwnReason(Entry entry) throws Exception {
    server.tags((version, read) -> List.of("\"read-" + read + "\""));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.VERSION_UNSTABLE, Effect.FAILED, result);
    assertEquals(3, server.writes().size());
  }

  /** Sent again, the lost write would overwrite what somebody else has written since. */
  @ParameterizedTest
  @EnumSource
  void aTagThatNeverChanges_doesNotHideAChangeFromALostWrite(Entry entry) throws Exception {
    server
        .tags((version, read) -> List.of("\"1\""))
        .plan(Plan.of(Fault.LOST_AFTER).after(each -> each + "x"));
    assertEnd(
        End.ANSWER_LOST, Effect.UNKNOWN, entry.update(server.uri(), USUAL, each -> each + "b"));
    assertEquals("abx", server.value());
    assertEquals(2, server.writes().size());
  }

  static Stream<Arguments> uselessTags() {
    List<List<String>> tags =
        List.of(
            List.of(),
            List.of("W/\"1\""),
            List.of("1"),
            List.of("\"1"),
            List.of("\"1\" \"2\""),
            List.of("\"caf\u00e9\""),
            List.of("\"1\"", "\"2\""));
    return Arrays.stream(Entry.values())
        .flatMap(entry -> tags.stream().map(lines -> Arguments.of(entry, lines)));
  }

  @ParameterizedTest
  @MethodSource("uselessTags")
  void withoutOneStrongTag_nothingIsWritten(Entry entry, List<String> lines) throws Exception {
    server.tags((version, read) -> lines);
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.NO_VERSION, Effect.NEVER_SENT, result);
    assertEquals(0, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void theDeadline_keepsTheWriteFromBeingSent(Entry entry) throws Exception {
    FakeTime time = new FakeTime();
    RetryPolicy policy = Entry.AT_ONCE.toBuilder().totalTimeout(Duration.ofSeconds(5)).build();
    EffectResult<String> result =
        entry.update(
            server.uri(),
            USUAL.policy(policy).environment(time.environment()),
            each -> {
              time.advance(Duration.ofSeconds(6));
              return each + "b";
            });
    assertEnd(End.WRITE_FAILED, Effect.NEVER_SENT, result);
    assertEquals(0, server.writes().size());
    assertTrue(result.failure().isPresent());
  }

  /** The policy allows thirty seconds, and the options of the request five. */
  private EffectResult<String> updateWithinFiveSeconds(
      Entry entry, Setting setting, Function<String, String> change) throws InterruptedException {
    RetryOptions five = RetryOptions.builder().deadline(Duration.ofSeconds(5)).build();
    if (entry.jdk()) {
      return setting
          .on(
              JdkEffects.readModifyWrite(Entry.HTTP.with(five), Entry::text, Entry::bytes),
              (read, next) -> read)
          .update(Entry.jdkGet(server.uri()), change);
    }
    Request read = Entry.okHttpGet(server.uri());
    return Entry.okHttpUpdates(setting)
        .update(read.newBuilder().tag(RetryOptions.class, five).build(), change);
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK", "OKHTTP"})
  void theDeadlineOfTheRequest_keepsTheWriteFromBeingSent(Entry entry) throws Exception {
    FakeTime time = new FakeTime();
    EffectResult<String> result =
        updateWithinFiveSeconds(
            entry,
            USUAL.environment(time.environment()),
            each -> {
              time.advance(Duration.ofSeconds(6));
              return each + "b";
            });
    assertEnd(End.WRITE_FAILED, Effect.NEVER_SENT, result);
    assertEquals(0, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK", "OKHTTP"})
  void aWaitThatDoesNotFitBeforeTheDeadlineOfTheRequest_isNotBegun(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.NONE).before(each -> each + "x"));
    RetryPolicy slow =
        Entry.AT_ONCE.toBuilder()
            .backoff(Backoff.fixed(Duration.ofSeconds(10)))
            .minimumAttempt(Duration.ofSeconds(6))
            .build();
    EffectResult<String> result =
        updateWithinFiveSeconds(entry, USUAL.policy(slow), each -> each + "b");
    assertEnd(End.CONTENDED, Effect.FAILED, result);
    assertEquals(1, server.reads().size());
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK_ASYNC", "OKHTTP_ASYNC"})
  void theDeadlineDuringAWrite_leavesItsEffectUnknown(Entry entry) throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    server.plan(
        Plan.of(Fault.NONE)
            .before(each -> {
              arrived.countDown();
              await(release);
              return each;
            }));
    FakeTime time = new FakeTime();
    CompletableFuture<EffectResult<String>> running =
        entry.start(server.uri(), USUAL.environment(time.environment()), each -> each + "b");
    await(arrived);
    time.advance(Duration.ofSeconds(30));
    EffectResult<String> result = running.join();
    release.countDown();
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals("a", result.value().orElseThrow());
    TimeoutException timeUp =
        assertInstanceOf(TimeoutException.class, result.failure().orElseThrow());
    assertSame(timeUp, assertThrows(IOException.class, result::orElseThrow).getCause());
  }

  @ParameterizedTest
  @EnumSource
  void aWaitThatDoesNotFitBeforeTheDeadline_isNotBegun(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.NONE).before(each -> each + "x"));
    RetryPolicy policy =
        Entry.AT_ONCE.toBuilder()
            .backoff(Backoff.fixed(Duration.ofSeconds(60)))
            .totalTimeout(Duration.ofSeconds(30))
            .build();
    EffectResult<String> result =
        entry.update(server.uri(), USUAL.policy(policy), each -> each + "b");
    assertEnd(End.CONTENDED, Effect.FAILED, result);
    assertEquals(1, server.reads().size());
  }

  @ParameterizedTest
  @EnumSource
  void betweenRounds_theBackoffIsWaited(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.NONE).before(each -> each + "x"));
    FakeTime time = new FakeTime();
    RetryPolicy policy =
        Entry.AT_ONCE.toBuilder()
            .backoff(Backoff.fixed(Duration.ofSeconds(2)))
            .noTotalTimeout()
            .build();
    Setting setting = USUAL.policy(policy).environment(time.environment());
    CompletableFuture<EffectResult<String>> running =
        entry.async()
            ? entry.start(server.uri(), setting, each -> each + "b")
            : CompletableFuture.supplyAsync(() -> quietly(entry, setting));
    time.awaitPending(1);
    assertEquals(1, server.writes().size());
    time.advance(Duration.ofSeconds(2));
    assertEnd(End.ACCEPTED, Effect.SUCCEEDED, running.join());
    assertEquals(2, server.writes().size());
  }

  private EffectResult<String> quietly(Entry entry, Setting setting) {
    try {
      return entry.update(server.uri(), setting, each -> each + "b");
    } catch (Exception thrown) {
      throw new IllegalStateException(thrown);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aConflictThatAsksToWait_endsTheUpdate(Entry entry) throws Exception {
    server.conflictStatus(412, "3600").plan(Plan.of(Fault.NONE).before(each -> each + "x"));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.WRITE_FAILED, Effect.FAILED, result);
    RetryReport report = result.report().orElseThrow();
    assertEquals(Duration.ofHours(1), report.serverDelay().orElseThrow());
    assertEquals(1, server.writes().size());
  }

  /** Retries of a request and rounds would multiply. */
  @ParameterizedTest
  @EnumSource
  void aConflictThatUsedUpItsAttempts_isNotMetInRoundsToo(Entry entry) throws Exception {
    server.conflictStatus(409, "0").plan(Plan.of(Fault.NONE).before(each -> each + "x"));
    EffectResult<String> result = entry.update(server.uri(), USUAL, each -> each + "b");
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, result);
    assertEquals(3, server.writes().size());
    assertEquals(1, server.reads().size());
  }

  /** One layer retries: the outer one. */
  @ParameterizedTest
  @EnumSource(names = {"JDK", "OKHTTP"})
  void withinARetrier_thereIsOneRoundOfSingleAttempts(Entry entry) throws Exception {
    server.plan(Plan.of(Fault.UNAVAILABLE));
    List<EffectResult<String>> results = new ArrayList<>();
    Retrier retrier = Retrier.builder().policy(Entry.AT_ONCE).build();
    retrier.call(() -> results.add(entry.update(server.uri(), USUAL, each -> each + "b")));
    assertEnd(End.WRITE_FAILED, Effect.UNKNOWN, results.get(0));
    assertEquals(1, server.writes().size());
    server.plan(Plan.of(Fault.NONE).before(each -> each + "x"));
    retrier.call(() -> results.add(entry.update(server.uri(), USUAL, each -> each + "b")));
    assertEnd(End.CONTENDED, Effect.FAILED, results.get(1));
    assertEquals(2, server.writes().size());
  }

  @ParameterizedTest
  @EnumSource
  void whatAFunctionOfTheCallersThrows_isWhatTheCallerGets(Entry entry) {
    IllegalStateException mine = new IllegalStateException("mine");
    assertSame(
        mine,
        assertThrows(
            IllegalStateException.class,
            () ->
                entry.update(
                    server.uri(),
                    USUAL,
                    each -> {
                      throw mine;
                    })));
    assertEquals(0, server.writes().size());
    server.plan(Plan.of(Fault.LOST_AFTER));
    Setting throwing =
        USUAL.ifLost((written, found) -> {
          throw mine;
        });
    assertSame(
        mine,
        assertThrows(
            IllegalStateException.class,
            () -> entry.update(server.uri(), throwing, each -> each + "b")));
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK", "OKHTTP"})
  void anInterrupt_endsTheUpdate(Entry entry) {
    assertThrows(
        InterruptedException.class,
        () ->
            entry.update(
                server.uri(),
                USUAL,
                each -> {
                  Thread.currentThread().interrupt();
                  return each + "b";
                }));
    assertFalse(Thread.interrupted());
    assertEquals("a", server.value());
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK_ASYNC", "OKHTTP_ASYNC"})
  void aCancellation_keepsTheWriteFromBeingSent(Entry entry) throws Exception {
    assertNotSent(entry, update -> update.cancel(true));
  }

  /** As {@code orTimeout} does. */
  @ParameterizedTest
  @EnumSource(names = {"JDK_ASYNC", "OKHTTP_ASYNC"})
  void anEndFromOutside_keepsTheWriteFromBeingSent(Entry entry) throws Exception {
    assertNotSent(entry, update -> update.completeExceptionally(new TimeoutException()));
  }

  private void assertNotSent(Entry entry, Predicate<CompletableFuture<EffectResult<String>>> ended)
      throws Exception {
    // The read is answered after the update has returned its future. So a thread of the client
    // makes the change, and this thread can cancel.
    CountDownLatch begun = new CountDownLatch(1);
    server.tags((version, read) -> {
      await(begun);
      return List.of("\"" + version + "\"");
    });
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    CompletableFuture<EffectResult<String>> update =
        entry.start(
            server.uri(),
            USUAL,
            each -> {
              asked.countDown();
              try {
                await(cancelled); // an interrupt of the cancellation ends it, too
              } finally {
                returned.countDown();
              }
              return each + "b";
            });
    begun.countDown();
    await(asked);
    assertTrue(ended.test(update));
    cancelled.countDown();
    await(returned);
    // The client is whole afterwards, and this write is the first that the server sees.
    entry.update(server.uri(), USUAL, each -> each + "c");
    assertEquals("ac", server.value());
    assertEquals(1, server.writes().size());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /** Each request of an update is another one, and each update sends others. */
  @ParameterizedTest
  @MethodSource("optionsOfOneRequest")
  void whatStandsForOneRequest_isRefused(RetryOptions options, String message) {
    ReadModifyWrite<HttpRequest, String> jdk =
        JdkEffects.readModifyWrite(Entry.HTTP.with(options), Entry::text, Entry::bytes).build();
    HttpRequest get = Entry.jdkGet(server.uri());
    assertRefused(message, () -> jdk.update(get, each -> each + "b"));
    assertRefused(message, () -> jdk.updateAsync(get, each -> each + "b"));

    Request plain = Entry.okHttpGet(server.uri());
    Request tagged = plain.newBuilder().tag(RetryOptions.class, options).build();
    Request untyped = plain.newBuilder().tag(options).build();
    ReadModifyWrite<Request, String> okHttp = Entry.okHttpUpdates(USUAL);
    assertRefused(message, () -> okHttp.update(tagged, each -> each + "b"));
    assertRefused(message, () -> okHttp.update(untyped, each -> each + "b"));
    assertEquals(0, server.reads().size());

    ReadModifyWrite<Request, String> tagging =
        OkHttpEffects.readModifyWrite(Entry.CALLS, Entry::text, Entry::bytes)
            .writing((read, next) ->
                tagged.newBuilder().put(RequestBody.create(Entry.bytes(next), null)).build())
            .build();
    assertRefused(message, () -> tagging.update(plain, each -> each + "b"));
    assertEquals(0, server.writes().size());
  }

  static Stream<Arguments> optionsOfOneRequest() {
    return Stream.of(
        Arguments.of(
            RetryOptions.builder().idempotencyKey("order-1").build(),
            "idempotencyKey: set (expected: none, as a key stands for one request)"),
        Arguments.of(
            RetryOptions.builder().journaled("update", "order-1").build(),
            "journaled: set (expected: not set, as the requests differ from call to call)"));
  }

  private static void assertRefused(String message, Executable update) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, update).getMessage());
  }

  @Test
  void onlyAGetReads() {
    HttpRequest post =
        HttpRequest.newBuilder(server.uri()).POST(HttpRequest.BodyPublishers.noBody()).build();
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> Entry.jdkUpdates(USUAL).update(post, each -> each));
    assertEquals("method: POST (expected: GET)", thrown.getMessage());
  }

  /** Without the helper nobody reads again to see whose write it was. */
  @ParameterizedTest
  @ValueSource(strings = {"PUT", "PATCH"})
  void aConditionalWriteOfTheClientAlone_isNotRepeated(String method) {
    server.plan(Plan.of(Fault.LOST_BEFORE));
    HttpRequest write =
        HttpRequest.newBuilder(server.uri())
            .header("If-Match", "\"1\"")
            .method(method, HttpRequest.BodyPublishers.ofString("b"))
            .build();
    assertThrows(
        IOException.class, () -> Entry.HTTP.send(write, HttpResponse.BodyHandlers.discarding()));
    assertEquals(1, server.writes().size());
  }
}
