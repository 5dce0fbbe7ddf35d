package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The journal as it is while an operation is resumed. An operation that its caller has finished
 * since it was found is not sent any more, and nothing is sent without the journal. Immutable.
 */
record Resumed(JdbcJournal journal, Claims claims) implements OperationJournal {
  @Override
  public Settings settings() {
    Settings kept = journal.settings();
    return new Settings(
        kept.headers(), kept.mostBodyBytes(), kept.keepsBodies(), false, kept.provesFailure());
  }

  @Override
  public Claim claim(Intent intent, Duration lease) throws IOException {
    return claims.claim(intent, lease, true);
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    return journal.sending(intent, claim);
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    return claims.ended(new Rows.Held(intent.id(), claim.token()), new Rows.End(ending, true));
  }

  @Override
  public Optional<Executor> executor() {
    return journal.executor();
  }
}
