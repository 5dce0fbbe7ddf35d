package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of {@link AnswerProof}, row by row. */
class AnswerProofTest {
  private static final List<String> READS = List.of("GET", "HEAD", "OPTIONS", "TRACE", "QUERY");
  private static final List<String> WRITES = List.of("POST", "PUT", "PATCH", "DELETE", "", "get");

  private static void assertProves(AnswerProof proof, int status, List<String> methods) {
    for (String method : methods) {
      for (boolean asksToWait : new boolean[] {false, true}) {
        String what = method + " " + status + ", asks to wait: " + asksToWait;
        assertEquals(proof, AnswerProof.of(status, method, asksToWait), what);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-1,  PERHAPS_DONE, PERHAPS_DONE", // lost
    "100, PERHAPS_DONE, PERHAPS_DONE",
    "199, PERHAPS_DONE, PERHAPS_DONE",
    "200, DONE,         DONE",
    "204, DONE,         DONE",
    "299, DONE,         DONE",
    "300, DONE,         REDIRECTED",
    "301, DONE,         REDIRECTED",
    "302, DONE,         REDIRECTED",
    "303, DONE,         DONE",
    "304, DONE,         DONE",
    "305, DONE,         REDIRECTED",
    "307, NOT_HERE,     NOT_HERE",
    "308, NOT_HERE,     NOT_HERE",
    "399, DONE,         REDIRECTED",
    "400, NOT_DONE,     NOT_DONE",
    "401, REFUSED,      REFUSED",
    "403, NOT_DONE,     NOT_DONE",
    "404, NOT_DONE,     NOT_DONE",
    "407, REFUSED,      REFUSED",
    "408, PERHAPS_DONE, PERHAPS_DONE", // a proxy that lost patience
    "412, NOT_DONE,     NOT_DONE",
    "421, REFUSED,      REFUSED",
    "425, REFUSED,      REFUSED",
    "429, NOT_DONE,     NOT_DONE", // that it was not processed is a claim of the rules
    "498, NOT_DONE,     NOT_DONE",
    "499, PERHAPS_DONE, PERHAPS_DONE", // a proxy whose client lost patience
    "500, PERHAPS_DONE, PERHAPS_DONE",
    "503, PERHAPS_DONE, PERHAPS_DONE",
    "599, PERHAPS_DONE, PERHAPS_DONE",
    "600, PERHAPS_DONE, PERHAPS_DONE"
  })
  void theTable(int status, AnswerProof toARead, AnswerProof toAWrite) {
    assertProves(toARead, status, READS);
    assertProves(toAWrite, status, WRITES);
    assertEquals(toAWrite, AnswerProof.of(status));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PUT", "POST"})
  void aConflictIsInProgress_ifTheServerAsksToWait(String method) {
    assertEquals(AnswerProof.NOT_DONE, AnswerProof.of(409, method, false));
    assertEquals(AnswerProof.PERHAPS_DONE, AnswerProof.of(409, method, true));
    assertEquals(AnswerProof.PERHAPS_DONE, AnswerProof.of(409), "not known");
  }

  @Test
  void aRequestWithoutItsOwnAnswer_mayHaveHadAnEffect_unlessThatIsDisproved() {
    Set<Integer> disproved =
        Set.of(307, 308, 401, 407, 421, 425, 404, 412, 429, 400, 403); // among others
    for (int status : List.of(-1, 200, 301, 302, 303, 304, 408, 409, 499, 500, 503)) {
      READS.forEach(
          read -> assertFalse(AnswerProof.mayHaveHadEffect(read, status), read + " " + status));
      WRITES.forEach(
          write -> assertTrue(AnswerProof.mayHaveHadEffect(write, status), write + " " + status));
    }
    disproved.forEach(
        status -> assertFalse(AnswerProof.mayHaveHadEffect("POST", status), "POST " + status));
  }

  @Test
  void aRefusalIsADispositionOfItsOwn() {
    IntStream.rangeClosed(100, 599)
        .forEach(status -> {
          boolean refused = Set.of(401, 407, 421, 425).contains(status);
          assertEquals(
              refused ? Disposition.REFUSED : Disposition.ANSWERED,
              AnswerProof.of(status).disposition(),
              "" + status);
        });
  }

  @ParameterizedTest
  @CsvSource({"-1, false", "200, true", "408, true", "409, true", "499, true", "500, false"})
  void aServerThatAnswersBelow500Works(int status, boolean works) {
    assertEquals(works, AnswerProof.showsWorkingServer(status));
  }
}
