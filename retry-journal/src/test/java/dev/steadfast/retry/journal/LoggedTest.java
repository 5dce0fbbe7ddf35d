package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The lines of the log when the same happens to many operations: one in a minute. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class LoggedTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();
  private static final long MINUTE = 60_000_000_000L;
  private static final Sender NOBODY = sender((in, due) -> {});

  @Parameter private TestDatabase.Kind kind;

  private final AtomicLong now = new AtomicLong();
  private TestDatabase database;
  private JdbcJournal journal;

  @BeforeEach
  void start() throws Exception {
    database = JOURNALS.emptied(kind);
    journal =
        JdbcJournal.builder(database.source())
            .deliveries(Deliveries.defaults().withLatestFirstSend(Duration.ofDays(1)))
            .ticker(now::get)
            .build();
  }

  private interface Code {
    void run() throws Exception;
  }

  private static List<String> warnings(Code code) {
    return CapturedLog.warningsOf(() -> {
      try {
        code.run();
      } catch (Exception broken) {
        throw new AssertionError(broken);
      }
    });
  }

  private static String unknown(int some, String why) {
    return "WARN operations to https://bank.example:443 are unknown, "
        + some
        + " more since the last line: each "
        + why
        + ". Ask the server, then settle it";
  }

  private static String mayHaveActed(int some) {
    return unknown(some, "may have been processed, and cannot be sent again");
  }

  private void abandoned(int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      sent(journal, intent("order-" + i, "5", terms(Safety.UNSAFE)));
    }
    database.endLeases();
  }

  private void resume() throws IOException, InterruptedException {
    journal.resume(NOBODY, Which.DUE, 10);
  }

  @Test
  void whatExpiresTogetherIsOneLine() throws Exception {
    abandoned(0, 30);
    assertEquals(List.of(mayHaveActed(30)), warnings(this::resume));
    abandoned(30, 33);
    assertEquals(List.of(), warnings(this::resume));
    now.addAndGet(MINUTE);
    abandoned(33, 34);
    assertEquals(List.of(mayHaveActed(4)), warnings(this::resume));
  }

  @Test
  void soIsWhatItsCallersFind() throws Exception {
    abandoned(0, 2);
    for (int i = 0; i < 2; i++) {
      String key = "order-" + i;
      List<String> expected = i == 0 ? List.of(mayHaveActed(1)) : List.of();
      assertEquals(
          expected,
          warnings(() ->
              assertInstanceOf(
                  Claim.Unknown.class, claim(journal, intent(key, "5", terms(Safety.UNSAFE))))));
    }
  }

  @Test
  void whatWasNotSentInTimeIsALineOfItsOwn() throws Exception {
    abandoned(0, 1);
    granted(journal, intent("late"));
    database.endLeases();
    String longAgo = "timestamp with time zone '2020-01-01 00:00:00+00'";
    database.set("created_at = " + longAgo + ", delivering_since = " + longAgo, "late");
    assertEquals(
        List.of(mayHaveActed(1), unknown(1, "was not sent by the latest time of a first send")),
        warnings(this::resume));
  }

  @Test
  void failuresOfAServerAreOneLine() throws Exception {
    for (int i = 0; i < 3; i++) {
      granted(journal, intent("order-" + i));
    }
    database.endLeases();
    Sender failing =
        sender((in, due) -> {
          Claim.Granted claim = (Claim.Granted) in.claim(due, Duration.ofSeconds(5));
          in.ended(due, claim, ending(State.READY));
          throw new IOException("the server is down");
        });
    List<String> lines = warnings(() -> journal.resume(failing, Which.DUE, 10));
    assertEquals(
        List.of(
            "WARN "
                + intent("order-0").id()
                + " to https://bank.example:443 was sent and failed; 0 more since the last line"),
        lines);
  }
}
