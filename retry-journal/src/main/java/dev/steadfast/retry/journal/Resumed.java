package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The journal as whoever resumes sees it. The operation was found some time ago. If its caller has
 * been told in the meantime how it ended, it is not sent any more. Never sends without the journal.
 * Safe for use by many threads.
 */
record Resumed(Claims claims, Settings kept, Executor threads) implements OperationJournal {
  @Override
  public Settings settings() {
    return new Settings(
        kept.headers(), kept.mostBodyBytes(), kept.keepsBodies(), false, kept.provesFailure());
  }

  @Override
  public Claim claim(Intent intent, Duration lease) throws IOException {
    return claims.claim(intent, lease, true);
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    return claims.sending(new Rows.Held(intent.id(), claim.token()));
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    return claims.ended(new Rows.Held(intent.id(), claim.token()), new Rows.End(ending, true));
  }

  @Override
  public Optional<Executor> executor() {
    return Optional.of(threads);
  }
}
