package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.keyed;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.ended;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.xa.PGXADataSource;

/** Distributed transactions (XA), as a transaction manager makes them. */
class XaTest {
  private static final AtomicInteger BRANCHES = new AtomicInteger();
  private static final ThreadLocal<String> TRANSACTION = new InheritableThreadLocal<>();
  private static PostgresServer server;
  @AutoClose private static TestDatabase database;

  @AutoClose private XAConnection xa;
  private Connection connection;
  private Xid branch;

  @BeforeAll
  static void startDatabase() throws Exception {
    server = PostgresServer.temporary();
    database = TestDatabase.on(server);
    database.execute("alter system set max_prepared_transactions = 10");
    database.execute("create table orders (id integer)");
    server.stop();
    server.start();
  }

  @BeforeEach
  void begin() throws Exception {
    database.empty();
    database.execute("delete from orders");
    PGXADataSource source = new PGXADataSource();
    source.setUrl(server.jdbcUrl());
    xa = source.getXAConnection();
    connection = xa.getConnection();
    branch = new Branch(BRANCHES.incrementAndGet());
    xa.getXAResource().start(branch, XAResource.TMNOFLAGS);
  }

  private record Branch(int number) implements Xid {
    @Override
    public int getFormatId() {
      return 1;
    }

    @Override
    public byte[] getGlobalTransactionId() {
      return new byte[] {(byte) number};
    }

    @Override
    public byte[] getBranchQualifier() {
      return new byte[] {1};
    }
  }

  private void order() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("insert into orders values (1)");
    }
  }

  private void prepare() throws Exception {
    XAResource resource = xa.getXAResource();
    resource.end(branch, XAResource.TMSUCCESS);
    assertEquals(XAResource.XA_OK, resource.prepare(branch));
  }

  @Test
  void anEnlistedOperationComesWithTheBranch() throws Exception {
    order();
    assertTrue(database.journal().enlist(connection, intent("order-1"), "account-17"));
    prepare();
    assertEquals("0", database.query("select count(*) from steadfast_operation"));
    xa.getXAResource().commit(branch, false);
    assertEquals("ready", database.state());
    assertEquals("1", database.query("select count(*) from orders"));
  }

  @Test
  void anEnlistedOperationGoesWithTheBranch() throws Exception {
    database.journal().enlist(connection, intent("order-1"));
    prepare();
    xa.getXAResource().rollback(branch);
    assertEquals("0", database.query("select count(*) from steadfast_operation"));
  }

  @Test
  void aFailureLeavesTheBranchAsItWas() throws Exception {
    JdbcJournal journal = database.journal();
    ended(journal, intent("order-1"), ending(State.SUCCEEDED));
    order();
    assertFalse(journal.enlist(connection, intent("order-1")));
    assertThrows(
        RefusedException.class,
        () -> journal.enlist(connection, intent("order-1", "6", keyed("key-1"))));
    prepare();
    xa.getXAResource().commit(branch, false);
    assertEquals("1", database.query("select count(*) from orders"));
  }

  @Test
  void wakeUpsAreEnlistedToo() throws Exception {
    Wakeups wakeups = database.journal().wakeups((own, names, in) -> order());
    assertTrue(wakeups.enlist(connection, intent("order-1"), null));
    prepare();
    xa.getXAResource().commit(branch, false);
    assertEquals("ready", database.state());
  }

  /** Gives the connection of the branch. */
  private DataSource joining() {
    return source(xa::getConnection);
  }

  private static DataSource source(Callable<Connection> connections) {
    return (DataSource)
        Proxy.newProxyInstance(
            XaTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> connections.call());
  }

  // The journal asks its database for its name at once.
  @Test
  void aJournalWithinABranchIsRefused() {
    JdbcJournal.Builder within = JdbcJournal.builder(joining());
    IOException told = assertThrows(IOException.class, within::build);
    assertTrue(String.valueOf(told.getMessage()).contains("(XA)"), told::toString);
  }

  // Transaction managers keep the transaction of a thread in such variables.
  @Test
  void threadsOfAJournalInheritNothing() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    DataSource source =
        source(() -> {
          seen.add(String.valueOf(TRANSACTION.get()));
          return database.source().getConnection();
        });
    TRANSACTION.set("joined");
    try {
      JdbcJournal.builder(source).build().oversight().totals();
    } finally {
      TRANSACTION.remove();
    }
    assertEquals(Set.of("null"), Set.copyOf(seen));
  }

  @Test
  void aJournalOutsideOfBranchesWorks() throws Exception {
    xa.getXAResource().end(branch, XAResource.TMSUCCESS);
    xa.getXAResource().rollback(branch);
    JdbcJournal journal = JdbcJournal.builder(joining()).build();
    assertInstanceOf(Claim.Granted.class, claim(journal, intent("order-1")));
    ended(journal, intent("order-2"), ending(State.SUCCEEDED));
    xa.getXAResource().start(branch, XAResource.TMNOFLAGS);
    IOException told = assertThrows(IOException.class, () -> claim(journal, intent("order-3")));
    assertTrue(String.valueOf(told.getMessage()).contains("(XA)"), told::toString);
  }
}
