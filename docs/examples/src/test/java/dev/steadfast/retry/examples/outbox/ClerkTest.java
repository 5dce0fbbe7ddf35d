package dev.steadfast.retry.examples.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the clerk makes of the answer of the payments service. */
class ClerkTest {
  @ParameterizedTest
  @CsvSource({
    "200, '{\"outcome\":\"applied\"}', APPLIED",
    "200, '{\"outcome\":\"not applied and fenced\"}', NOT_APPLIED_AND_FENCED",
    "200, '<html>down for maintenance</html>', DONT_KNOW", // of a proxy
    "404, '{}', DONT_KNOW",
    "503, '{\"outcome\":\"applied\"}', DONT_KNOW"
  })
  void onlyWhatTheServiceSaysIsKnown(int status, String body, Lookup expected) {
    assertEquals(expected, Clerk.told(status, body));
  }
}
