package dev.steadfast.retry.operations;

import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.Journaling.Codec;
import dev.steadfast.retry.http.Journaling.Journal;
import dev.steadfast.retry.http.Journaling.Kept;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.internal.Checks;

/**
 * Carries out journaled operations, for every client of the process. {@link
 * java.util.ServiceLoader} makes it; users make an {@link OperationJournal}.
 */
@SuppressWarnings("exports") // only the core, which sees the service, calls it
public final class JournaledOperations implements JournalService {
  private static final int REMEMBERED = 10_000;

  /** The constructor that the service loader calls. */
  public JournaledOperations() {}

  @Override
  public Journal inProcess() {
    return OperationJournal.inMemory(REMEMBERED);
  }

  @Override
  public Journaled operation(Journal journal, Call call) {
    if (journal instanceof OperationJournal ours) {
      return new Begun(JournaledOperation.of(ours, call));
    }
    throw Checks.bad("journal", journal, "an OperationJournal");
  }

  /** An operation of a client. */
  private record Begun(JournaledOperation operation) implements Journaled {
    @Override
    public Kept intent() {
      return operation.owned();
    }

    @Override
    public <R> RetryLoop<R> loop(RetryPlan with, RetryTransport<R> transport, Codec<R> codec) {
      JournaledOperation begun = operation.with(with);
      return RetryLoop.of(with, begun.info(), new JournaledTransport<>(begun, transport, codec));
    }

    @Override
    public int mostAnswerBytes() {
      return operation.journal().settings().mostBodyBytes();
    }
  }
}
