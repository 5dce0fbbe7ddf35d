package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A journal with a long history and a long backlog. */
final class BigJournal {
  private static final String COLUMNS =
      "insert into steadfast_operation (name, principal, op_key, fingerprint, method, uri, origin,"
          + " headers, body, repeatable, key_window_ms, key_header, key_line, deliver, state,"
          + " created_at, first_sent_at, key_expires_at, due_at, again, claims, attempts,"
          + " sequence_name, sequence_number, status, answer_headers, ended_at, row_version,"
          + " deliveries, delivering_since, passed) select"
          + " 'charge', '', ";
  private static final String HEADERS =
      "(select headers from steadfast_operation where op_key = 'first')";

  private final TestDatabase database;
  private final ExplainedSource explained;
  private final JdbcJournal journal;

  BigJournal(TestDatabase database) throws Exception {
    this.database = database;
    this.explained = new ExplainedSource(database.source());
    this.journal = JdbcJournal.builder(explained.source()).build();
  }

  /**
   * How much is in it.
   *
   * @param finished operations that are over
   * @param due operations that are due, a tenth of them for the first time
   * @param waiting operations of one sequence
   */
  record Size(int finished, int due, int waiting) {}

  void fill(Size size) throws Exception {
    journal.claim(TestIntents.intent("first"), Duration.ofSeconds(1)); // its headers are copied
    database.execute(
        COLUMNS
            + "'done-' || i, 'f', 'POST', 'https://bank.example/pay', 'https://bank.example:443', "
            + HEADERS
            + ", 'charge', 'keyed', 3600000, 'Idempotency-Key', 'k' || i, true, 'succeeded',"
            + " clock_timestamp() - interval '2 days' - i * interval '1 second', clock_timestamp()"
            + " - interval '2 days' - i * interval '1 second', clock_timestamp() - interval '1 day'"
            + " - i * interval '1 second', null, true, 1, 1, null, null, 201, '', clock_timestamp()"
            + " - interval '2 days' - i * interval '1 second', 3, 1, clock_timestamp(), false from"
            + " generate_series(1, "
            + size.finished()
            + ") as i");
    for (String host : List.of("bank", "post")) {
      String origin = "https://" + host + ".example";
      database.execute(
          COLUMNS
              + "'"
              + host
              + "-' || i, 'f', 'POST', '"
              + origin
              + "/pay', '"
              + origin
              + ":443', "
              + HEADERS
              + ", 'charge', 'keyed', 3600000, 'Idempotency-Key', 'd' || i, true, 'ready',"
              + " clock_timestamp(), null, null, clock_timestamp() - i * interval '1 ms', i % 10 >"
              + " 0, 0, 0, null, null, null, null, null, 1, 0, clock_timestamp(), false from"
              + " generate_series(1, "
              + size.due() / 2
              + ") as i");
    }
    database.execute(
        COLUMNS
            + "'seq-' || i, 'f', 'POST', 'https://bank.example/pay', 'https://bank.example:443', "
            + HEADERS
            + ", 'charge', 'keyed', 3600000, 'Idempotency-Key', 's' || i, true, 'ready',"
            + " clock_timestamp(), null, null, clock_timestamp() - interval '1 hour', false, 0, 0,"
            + " 'long', i, null, null, null, 1, 0, clock_timestamp(), false from generate_series(1,"
            + " "
            + size.waiting()
            + ") as i");
    database.execute(
        "insert into steadfast_sequence (name, last_number, look_at) values ('long', "
            + size.waiting()
            + ", clock_timestamp() - interval '1 hour')");
    database.execute(
        "insert into steadfast_sequence (name, last_number, look_at) select 'idle-' || i, i, null"
            + " from generate_series(1, 5000) as i");
    database.execute("analyze steadfast_operation");
    database.execute("analyze steadfast_sequence");
  }

  private static final Sender NOTHING = TestIntents.sender((in, due) -> {});
  private static final Sender SUCCESS =
      TestIntents.sender((in, due) -> {
        if (in.claim(due, Duration.ofSeconds(30)) instanceof Claim.Granted granted
            && in.sending(due, granted)) {
          in.ended(due, granted, new Ending(State.SUCCEEDED, null, 1, null));
        }
      });

  /** Does all that users do, and returns how the statements were carried out. */
  Map<String, List<ExplainedSource.Plan>> exercise() throws Exception {
    Map<String, List<ExplainedSource.Plan>> plans = new LinkedHashMap<>();
    Wakeups wakeups = journal.wakeups((connection, names, in) -> {});
    plans.put("resume(100), nothing sent", run(() -> journal.resume(NOTHING, Which.DUE, 100)));
    plans.put("resume(100)", run(() -> journal.resume(SUCCESS, Which.DUE, 100)));
    plans.put(
        "resume(20), unsettled", run(() -> journal.resume(SUCCESS, Which.DUE_AND_UNSETTLED, 20)));
    plans.put("sweep", run(wakeups::sweep));
    plans.put("wake a sequence", run(() -> wakeups.wake(SUCCESS, "sequence long")));
    plans.put("a call", run(this::call));
    plans.put("enlist", run(this::enlist));
    plans.put("unknown(20)", run(() -> journal.unknown(20)));
    Oversight oversight = journal.oversight();
    plans.put("overdue(20)", run(() -> oversight.overdue(Duration.ZERO, 20, null)));
    plans.put("parked(20)", run(() -> oversight.parked(20, null)));
    plans.put("oversight.unknown(20)", run(() -> oversight.unknown(20, null)));
    plans.put("settle", run(() -> journal.settle(TestIntents.id("order-1"), Lookup.APPLIED)));
    return plans;
  }

  private void call() throws Exception {
    Intent intent = TestIntents.intent("order-1");
    Claim.Granted granted = TestJournals.sent(journal, intent);
    journal.ended(intent, granted, new Ending(State.READY, null, 1, null));
  }

  private void enlist() throws Exception {
    try (Connection connection = explained.source().getConnection()) {
      connection.setAutoCommit(false);
      journal.enlist(connection, TestIntents.intent("order-2"), "long");
      connection.commit();
    }
  }

  /** Something that a user does. */
  private interface Work {
    void run() throws Exception;
  }

  private List<ExplainedSource.Plan> run(Work work) throws Exception {
    explained.clear();
    work.run();
    return explained.plans();
  }
}
