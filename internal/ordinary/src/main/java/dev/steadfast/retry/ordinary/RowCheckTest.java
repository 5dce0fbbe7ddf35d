package dev.steadfast.retry.ordinary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.ordinary.Entry.Way;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A difference is seen, and a mark that no longer holds is seen. */
final class RowCheckTest {
  private static Row row() {
    return Row.named("row").ways(Way.EXECUTE).policies(Policy.KEYS);
  }

  private static Row differing() {
    return row()
        .okHttp(client -> {
          client.send(client.run().wrapped() ? "PUT" : "POST", "/", "text");
          client.run().note("own", client.run().wrapped());
        });
  }

  private static List<String> differences(Row row) throws Exception {
    return new RowCheck(row).differences();
  }

  private static void assertSees(Row row, String part) throws Exception {
    List<String> lines = differences(row);
    assertTrue(lines.stream().anyMatch(line -> line.contains(part)), lines::toString);
  }

  @Test
  void equalRunsPass() throws Exception {
    assertEquals(List.of(), differences(row().okHttp(client -> client.send("POST", "/", "text"))));
  }

  @Test
  void whatTheServerReceivesIsCompared() throws Exception {
    assertSees(differing(), "- #1 on connection 1: POST / HTTP/1.1");
    assertSees(differing(), "+ #1 on connection 1: PUT / HTTP/1.1");
  }

  @Test
  void whatTheCallerSeesIsCompared() throws Exception {
    assertSees(differing(), "+ true");
    assertSees(differing(), "FACTORY_EXECUTE with KEYS; INTERCEPTOR_EXECUTE with KEYS");
  }

  @Test
  void headersOfThePlainClientAreCompared() throws Exception {
    Row row =
        row()
            .okHttp(client ->
                client.get("/", "X-A: " + (client.run().wrapped() ? "wrapped" : "plain")));
    assertSees(row, "+ #1 X-A: wrapped");
  }

  @Test
  void aMissingKeyIsSeen() throws Exception {
    Row row =
        row()
            .retry(builder ->
                builder.idempotencyKeys(dev.steadfast.retry.http.IdempotencyKeys.from(r -> "k")))
            .okHttp(client -> client.send("POST", "/", "text"));
    assertSees(row, "Idempotency-Key: k");
  }

  @Test
  void aDeclaredDifferencePasses() throws Exception {
    Row row = row().okHttp(client -> client.run().note("own", client.run().wrapped()));
    assertEquals(List.of(), differences(row.differs("own", "a test")));
  }

  @Test
  void aDeclaredDifferenceThatIsNoneFails() throws Exception {
    Row row = row().okHttp(client -> client.get("/")).differs("events", "a test");
    assertSees(row, "declared, but no run differs in events: a test");
  }

  @Test
  void aKnownDefectPassesWhileItIsThere() throws Exception {
    assertEquals(List.of(), differences(differing().knownDefect("a test")));
  }

  @Test
  void aKnownDefectThatIsMendedFails() throws Exception {
    Row row = row().okHttp(client -> client.get("/")).knownDefect("a test");
    assertSees(row, "marked as a known defect, but passes: a test");
  }

  @Test
  void aKnownDefectElsewhereDoesNotHideADifference() throws Exception {
    Row row = differing().knownDefect("a test", Entry.FACTORY_EXECUTE);
    assertSees(row, "INTERCEPTOR_EXECUTE with KEYS:");
  }
}
