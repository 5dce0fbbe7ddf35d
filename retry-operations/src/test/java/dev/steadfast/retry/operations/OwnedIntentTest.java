package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Repeat;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An operation is kept by the journal of its client. */
class OwnedIntentTest {
  private final Intent intent =
      new Intent(
          new OperationJournal.Id("charge", "", "order-1"),
          "",
          new Request("POST", URI.create("http://a/pay"), new Content(Map.of(), new byte[0])),
          "f",
          new Terms(Repeat.NEVER, null, null));

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
}
