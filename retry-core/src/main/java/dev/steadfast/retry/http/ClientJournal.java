package dev.steadfast.retry.http;

import dev.steadfast.retry.http.Journaling.Journal;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.internal.Checks;
import java.util.Iterator;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a configuration, and what carries out its operations. Both are looked up when the
 * first journaled operation needs them, because most clients journal nothing. Safe for use by many
 * threads.
 */
final class ClientJournal {
  private static final String MODULE = "the module dev.steadfast:retry-operations";

  private final AtomicReference<@Nullable Journal> journal;
  private final AtomicReference<@Nullable JournalService> journaling = new AtomicReference<>();

  /**
   * A journal.
   *
   * @param given null for one that guards this process alone
   */
  ClientJournal(@Nullable Journal given) {
    journal = new AtomicReference<>(given);
  }

  /**
   * Begins an operation.
   *
   * @throws IllegalArgumentException if it cannot be kept, or if nothing here can journal it
   */
  JournalService.Journaled operation(JournalService.Call call) {
    JournalService.Resumed resumed = call.naming().resumed();
    Journal given = resumed == null ? journal.get() : resumed.journal();
    JournalService found = journaling(given, call);
    return found.operation(given == null ? own(found) : given, call);
  }

  // One journal serves all operations: another one would not know what this one remembers.
  private Journal own(JournalService found) {
    journal.compareAndSet(null, found.inProcess());
    return Objects.requireNonNull(journal.get());
  }

  private JournalService journaling(@Nullable Journal given, JournalService.Call call) {
    JournalService known = journaling.get();
    if (known != null) {
      return known;
    }
    // The class loader of the journal sees the service, where modules have class loaders of their
    // own.
    Class<?> near = given == null ? JournalService.class : given.getClass();
    Iterator<JournalService> found =
        ServiceLoader.load(JournalService.class, near.getClassLoader()).iterator();
    if (!found.hasNext()) {
      throw Checks.bad(
          "journaled operation " + call.naming(), "no journal on the class path", MODULE);
    }
    journaling.compareAndSet(null, found.next());
    return Objects.requireNonNull(journaling.get());
  }
}
