package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operation is kept by the journal of its client. */
class OwnedIntentTest {
  private final Intent intent =
      new Intent(
          new OperationJournal.Id("charge", "", "order-1"),
          "",
          new Request("POST", URI.create("http://a/pay"), new Content(Map.of(), new byte[0])),
          "f",
          new Terms(Safety.UNSAFE, null, null));

  @Test
  void anotherJournalThanThatInMemoryIsRefused() {
    OperationJournal guard = OperationJournal.inMemory(1);
    OperationJournal other = OperationJournal.inMemory(1);
    JournaledOperation.Owned owned = new JournaledOperation.Owned(guard, intent);

    assertEquals(intent, Intent.of(owned, guard));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Intent.of(owned, other));
    assertTrue(refused.getMessage().contains("HttpRetry.Builder.journal"), refused.getMessage());
  }

  @ParameterizedTest
  @EnumSource(names = {"UNPROCESSED", "READ_ONLY"})
  void onlyWhatCanBeToldOfAStoredOperationIsTaken(Safety safety) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> new Terms(safety, null, null));
    assertTrue(refused.getMessage().contains("IDEMPOTENT, KEYED or UNSAFE"));
  }
}
