package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The databases of a class: each is started when it is first asked for, and closed with it. */
final class TestJournals implements AfterAllCallback {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final Map<TestDatabase.Kind, TestDatabase> open = new EnumMap<>(TestDatabase.Kind.class);

  TestDatabase open(TestDatabase.Kind kind) {
    return open.computeIfAbsent(kind, TestDatabase.Kind::open);
  }

  TestDatabase emptied(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = open(kind);
    database.empty();
    return database;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    open.values().forEach(TestDatabase::close);
    open.clear();
  }

  static Claim claim(JdbcJournal journal, Intent intent) throws IOException {
    return journal.claim(intent, LEASE);
  }

  static Claim.Granted granted(JdbcJournal journal, Intent intent) throws IOException {
    return assertInstanceOf(Claim.Granted.class, claim(journal, intent));
  }

  static Claim.Granted sent(JdbcJournal journal, Intent intent) throws IOException {
    Claim.Granted claim = granted(journal, intent);
    assertTrue(journal.sending(intent, claim));
    return claim;
  }

  static void ended(JdbcJournal journal, Intent intent, Ending ending) throws IOException {
    assertTrue(journal.ended(intent, sent(journal, intent), ending));
  }
}
