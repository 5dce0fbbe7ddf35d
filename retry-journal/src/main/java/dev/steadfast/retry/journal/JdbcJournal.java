package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A journal in PostgreSQL. An operation that it remembers survives the death of the process that
 * began it: whoever calls it again, or resumes it, finds out what became of it, and sends it again
 * only where that is safe.
 *
 * <pre>{@code
 * JdbcJournal journal = JdbcJournal.builder(dataSource).build();
 * HttpRetry retry =
 *     HttpRetry.builder().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
 * }</pre>
 *
 * <p>Each statement is a transaction of its own, on a connection of the data source that is held
 * for that statement alone, never while a request is on its way. Statements run on the journal's
 * executor and not on the calling thread, whose transaction they could join; {@link #enlist} alone
 * writes in the caller's transaction. A statement ends within 10 s, or within 20 s if the database
 * does not answer at all. All times are those of the database.
 *
 * <p>H2 works too, for development within one process: with {@code WRITE_DELAY=0} in its URL, and
 * without a promise for what a crash leaves.
 *
 * <p>Safe for use by many threads.
 */
public final class JdbcJournal implements OperationJournal {
  private static final int MOST_SEQUENCE = 100;

  private final Settings settings;
  private final Parts parts;
  private final Oversight oversight;
  private final Resuming resuming;

  private JdbcJournal(Settings settings, Parts parts) {
    this.settings = settings;
    this.parts = parts;
    this.oversight = new Oversight(parts, false);
    this.resuming = new Resuming(this, parts.claims(), parts.gate(), parts.failures());
  }

  /**
   * Begins with the defaults.
   *
   * @param source gives connections; best a pool, and not one that hands out the connection of the
   *     caller's transaction
   * @return a builder
   */
  public static Builder builder(DataSource source) {
    return new Builder(source);
  }

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public Optional<Executor> executor() {
    return Optional.of(parts.worker().executor());
  }

  // The three steps of an operation. The client calls them on the executor.

  @Override
  public Claim claim(Intent intent, Duration lease) throws IOException {
    return parts.claims().claim(intent, lease, null);
  }

  @Override
  public boolean sending(Intent intent, Claim.Granted claim) throws IOException {
    return parts.claims().sending(new Rows.HeldClaim(intent.id(), claim.token()));
  }

  @Override
  public boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException {
    Rows.HeldClaim held = new Rows.HeldClaim(intent.id(), claim.token());
    boolean noted = parts.claims().ended(held, Rows.End.called(ending));
    if (noted && claim.delivered()) {
      parts.claims().look(intent.id());
    }
    return noted;
  }

  // Delivery.

  /**
   * Writes an operation in the caller's transaction, to be delivered after its commit by whoever
   * {@linkplain #resume resumes}. The caller may also call it at once after the commit. A failure
   * leaves the caller's transaction as it was. Blocks the calling thread.
   *
   * @param connection the caller's, within a transaction, to the database of the journal
   * @param operation the request to be sent, with its body; made by {@code intent} of a client
   * @return false if the same operation is there already, enlisted or finished
   * @throws RefusedException with {@link Refusal#OTHER_REQUEST} if another request is there, or
   *     with {@link Refusal#IN_FLIGHT} if it was called without being enlisted and is not finished
   * @throws SQLException if it cannot be written, or if another transaction has held the same
   *     operation for 2 s
   * @throws IllegalArgumentException if the connection is in auto-commit mode, if the client of the
   *     operation has a journal in memory, or if the body of the operation is not kept
   */
  public boolean enlist(Connection connection, Journaling.Kept operation)
      throws SQLException, RefusedException {
    return enlistIn(connection, Intent.of(operation, this), null);
  }

  /**
   * Enlists an operation in a sequence, whose operations are sent one after another in the order of
   * their commits. None is sent before all earlier ones have succeeded or failed. One whose effect
   * is unknown holds the later ones until it is settled. Transactions that enlist in the same
   * sequence wait for each other.
   *
   * @param connection the caller's, within a transaction, to the database of the journal
   * @param operation the request to be sent, with its body; made by {@code intent} of a client
   * @param sequence its name, 1 to 100 characters
   * @return false if the same operation is there already, enlisted or finished
   * @throws RefusedException with {@link Refusal#OTHER_REQUEST} if another request is there, or
   *     with {@link Refusal#IN_FLIGHT} if it was called without being enlisted and is not finished
   * @throws SQLException if it cannot be written, or if another transaction has held the sequence
   *     or the same operation for 2 s
   * @throws IllegalArgumentException if the name is out of its range, if the connection is in
   *     auto-commit mode, if the client of the operation has a journal in memory, or if the body of
   *     the operation is not kept
   */
  public boolean enlist(Connection connection, Journaling.Kept operation, String sequence)
      throws SQLException, RefusedException {
    int length = sequence.length();
    if (length < 1 || length > MOST_SEQUENCE || sequence.indexOf('\0') >= 0) {
      throw bad("sequence", length + " characters", "1 to " + MOST_SEQUENCE + ", without NUL");
    }
    return enlistIn(connection, Intent.of(operation, this), sequence);
  }

  private boolean enlistIn(Connection connection, Intent operation, @Nullable String sequence)
      throws SQLException, RefusedException {
    if (operation.request().content().body().isEmpty()) {
      throw bad("enlisted request body", "not kept", "one that the journal keeps");
    }
    Connections.requireTransaction(connection);
    return parts.enlisting().enlist(connection, operation, sequence);
  }

  /** The operations that {@link #resume} sends. */
  public enum Which {
    /** Enlisted ones that are due, and those whose owner died. */
    DUE,
    /** Also those whose caller was told that their effect is unknown. */
    DUE_AND_UNSETTLED
  }

  /**
   * Sends operations that are due, one after another on the calling thread, each at most once.
   * Several threads and processes may do so at the same time; each operation is sent by one of
   * them. An operation that may have been processed and can no longer be sent again is marked as
   * unknown. An operation whose request body is not kept waits for its caller. An operation for a
   * server that does not answer, or that has used up its budget, stays due and does not hold up the
   * others. Not to be called on a thread of the journal's executor.
   *
   * @param sender the client that sends
   * @param which the operations to send
   * @param most how many at most, 1 or more; those that were refused do not count
   * @return how many were sent, with any outcome
   * @throws IOException if the journal cannot be read or written
   * @throws InterruptedException if the thread was interrupted
   * @throws IllegalArgumentException if the number is out of its range
   */
  public int resume(Journaling.Sender sender, Which which, int most)
      throws IOException, InterruptedException {
    requirePositive(most);
    OffsetDateTime at = parts.worker().awaitInterruptibly(() -> parts.begin());
    boolean unsettled = which == Which.DUE_AND_UNSETTLED;
    return new ResumeRun(parts, resuming, sender, new ResumeRun.Wanted(at, unsettled, most)).run();
  }

  /**
   * Lets an engine for background tasks deliver the operations, in place of {@link #resume}.
   * Authors of such engines use it.
   *
   * @param keeper keeps wake-ups where the engine finds them
   * @return the methods that the engine calls
   */
  public Wakeups wakeups(Wakeups.Keeper keeper) {
    return new Wakeups(this, parts, resuming, keeper);
  }

  // The operations that are left to the user.

  /**
   * Returns a person's view of the journal, which also takes decisions about its operations.
   *
   * @return always the same object
   */
  public Oversight oversight() {
    return oversight;
  }

  /**
   * Operations that may have been processed and are not sent again by the journal: they have no
   * key, its time is over, or their body is not kept. Only their server knows what became of them.
   *
   * @param most how many at most, 1 or more
   * @return those that nobody works on, the oldest first
   * @throws IOException if the journal cannot be read
   * @throws IllegalArgumentException if the number is out of its range
   */
  public List<Intent> unknown(int most) throws IOException {
    requirePositive(most);
    return parts.run(connection -> parts.unknown(connection, most));
  }

  /** The answer of a look-up of an operation at the server. */
  public enum Lookup {
    /** The server did it. */
    APPLIED,
    /** The server did not do it, and refuses its key from now on. */
    NOT_APPLIED_AND_FENCED,
    /** The server does not say, or only that it does not find it: it may still come. */
    DONT_KNOW
  }

  /**
   * Settles an operation that {@link #unknown} would list, one that is parked, or one whose row
   * cannot be read. Such a row is logged and never sent, and it holds its sequence until it is
   * settled.
   *
   * @param id its name
   * @param lookup the answer of the server
   * @return whether it was settled: false if its effect was not unknown and it was not parked, if
   *     somebody works on it, or if the server does not say
   * @throws IOException if the journal cannot be written
   */
  public boolean settle(Id id, Lookup lookup) throws IOException {
    if (lookup == Lookup.DONT_KNOW) {
      return false;
    }
    String state = (lookup == Lookup.APPLIED ? State.SUCCEEDED : State.FAILED).toString();
    return parts.run(connection -> parts.settle(connection, id, state));
  }

  /**
   * Deletes operations that finished some time ago. Those whose key is not older than {@link
   * dev.steadfast.retry.http.IdempotencyKeys#withRetention} stay, and so do those whose effect is
   * unknown.
   *
   * @param olderThan how long ago, zero or more
   * @return how many were deleted
   * @throws IOException if the journal cannot be written
   * @throws IllegalArgumentException if the time is negative
   */
  public int purge(Duration olderThan) throws IOException {
    if (olderThan.isNegative()) {
      throw bad("olderThan", olderThan, "zero or more");
    }
    return parts.run(connection -> parts.backlog().purge(connection, olderThan));
  }

  /**
   * Creates the tables, unless they are there. Flyway can do so instead, with the location {@code
   * classpath:steadfast-journal/flyway}, or Liquibase with {@code steadfast-journal/liquibase.xml}.
   *
   * @throws IOException if the database refuses it
   */
  public void createTables() throws IOException {
    parts.run(connection -> {
      new Schema(parts.dialect(), parts.base().tables()).create(connection);
      return null;
    });
  }

  @Override
  public String toString() {
    return "JdbcJournal(" + parts.dialect() + ")";
  }

  private static void requirePositive(int most) {
    if (most < 1) {
      throw bad("most", most, "1 or more");
    }
  }

  private static IllegalArgumentException bad(String name, Object value, String expected) {
    return new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    // Spring's: its connections are those of the transaction of the thread.
    private static final String JOINS = "TransactionAwareDataSourceProxy";

    private final DataSource source;
    private Settings settings = Settings.defaults();
    private @Nullable Executor executor;
    private Deliveries deliveries = Deliveries.defaults();
    private LongSupplier ticker = System::nanoTime;
    private @Nullable StorageCodec codec;
    private Tables tables = Tables.defaults();
    private boolean createTables;

    private Builder(DataSource source) {
      this.source = Objects.requireNonNull(source, "source");
    }

    /**
     * The rules of what is kept and how. Default: {@link OperationJournal.Settings#defaults()}.
     *
     * @param settings the settings
     * @return this
     */
    public Builder settings(Settings settings) {
      this.settings = Objects.requireNonNull(settings, "settings");
      return this;
    }

    /**
     * How long an operation is delivered before it is parked. Default: {@link
     * Deliveries#defaults()}.
     *
     * @param deliveries the bounds
     * @return this
     */
    public Builder deliveries(Deliveries deliveries) {
      this.deliveries = Objects.requireNonNull(deliveries, "deliveries");
      return this;
    }

    /**
     * Encrypts what is stored of requests and answers. Rows from before stay readable. Default: all
     * is stored as it is, and a request whose query has a {@linkplain
     * OperationJournal.Settings#withSecretParameters secret} is refused.
     *
     * @param codec the codec, the same or with the same keys in each process
     * @return this
     */
    public Builder codec(StorageCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /** The clock of the pauses of deliveries and of the lines of the log, in ns; for tests. */
    Builder ticker(LongSupplier ticker) {
      this.ticker = ticker;
      return this;
    }

    /**
     * Runs the statements, which block. Default: up to 8 daemon threads, which end after 10 s
     * without work.
     *
     * @param executor threads of its own; not one that runs tasks on the calling thread, because
     *     the statements could join the caller's transaction and outlast its deadline
     * @return this
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * The schema of the tables. It must exist. Default: the first one of the search path that has
     * the tables.
     *
     * @param name 1 to 63 of the characters a-z, 0-9 and _, and no digit in front
     * @return this
     * @throws IllegalArgumentException if the name has another form
     */
    public Builder schema(String name) {
      this.tables = tables.in(name);
      return this;
    }

    /**
     * The beginning of the names of the tables and of their indexes. Default: {@code steadfast_},
     * for the tables {@code steadfast_operation} and {@code steadfast_sequence}.
     *
     * @param prefix 1 to 40 of the characters a-z, 0-9 and _, and no digit in front
     * @return this
     * @throws IllegalArgumentException if the prefix has another form
     */
    public Builder tablePrefix(String prefix) {
      this.tables = tables.withPrefix(prefix);
      return this;
    }

    /**
     * Has {@link #build} create the tables, unless they are there. Default: they are there.
     *
     * @return this
     */
    public Builder createTables() {
      this.createTables = true;
      return this;
    }

    /**
     * The journal. Asks the database for its name.
     *
     * @return a new journal
     * @throws IOException if the database cannot be reached, or refuses to create the tables
     * @throws IllegalArgumentException if it is neither PostgreSQL nor H2, or one that only speaks
     *     as PostgreSQL does, such as CockroachDB or YugabyteDB; or if the data source is known to
     *     hand out connections of the caller's transaction
     */
    public JdbcJournal build() throws IOException {
      for (Class<?> type = source.getClass(); type != null; type = type.getSuperclass()) {
        if (type.getName().endsWith(JOINS)) {
          throw bad("source", type.getName(), "one that joins no transaction of its caller");
        }
      }
      Worker worker = new Worker(executor == null ? Worker.threads() : executor);
      Connections connections = new Connections(source);
      Dialect dialect = worker.await(() -> connections.run(Dialect::of));
      // A codec encodes queries, so no parameter is too secret to be kept.
      Settings kept = codec == null ? settings : settings.withSecretParameters();
      Parts parts =
          Parts.of(
              new Parts.Base(worker, connections, dialect, tables),
              new Parts.Options(deliveries, new StoredForm(codec), ticker));
      JdbcJournal journal = new JdbcJournal(kept, parts);
      if (createTables) {
        journal.createTables();
      }
      return journal;
    }
  }
}
