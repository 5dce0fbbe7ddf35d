package dev.steadfast.retry.journal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.Deliveries;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.StorageCodec;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a person types, and what the database holds after it. */
class CommandLineTest {
  private static final String SECRET = "card-4711";
  @AutoClose private static PostgresServer server;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream error = new ByteArrayOutputStream();
  private JdbcJournal journal;

  @BeforeAll
  static void start() throws IOException {
    server = PostgresServer.temporary();
  }

  @BeforeEach
  void begin() throws Exception {
    journal =
        JdbcJournal.builder(server.dataSource())
            .createTables()
            .deliveries(Deliveries.defaults().withMost(1))
            .build();
    execute("delete from steadfast_operation");
    execute("delete from steadfast_sequence");
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Intent intent(String key) {
    Content content =
        new Content(Map.of("Accept", List.of("*/*")), SECRET.getBytes(StandardCharsets.UTF_8));
    URI uri = URI.create("https://bank.example/pay?token=" + SECRET);
    Terms terms =
        new Terms(
            Safety.KEYED, Duration.ofHours(1), new Journaling.Key("Idempotency-Key", "k-" + key));
    return new Intent(
        new OperationJournal.Id("charge", "", key),
        "",
        new Request("POST", uri, content),
        "f".repeat(64),
        terms);
  }

  private void enlist(String key) throws Exception {
    enlist(key, "");
  }

  private void enlist(String key, String sequence) throws Exception {
    try (Connection own = server.dataSource().getConnection()) {
      own.setAutoCommit(false);
      if (sequence.isEmpty()) {
        journal.enlist(own, intent(key));
      } else {
        journal.enlist(own, intent(key), sequence);
      }
      own.commit();
    }
  }

  private Claim.Granted sent(String key) throws IOException {
    Claim claim = journal.claim(intent(key), Duration.ofSeconds(30));
    Claim.Granted granted = (Claim.Granted) claim;
    assertTrue(journal.sending(intent(key), granted));
    return granted;
  }

  private void ended(String key, State state) throws IOException {
    journal.ended(intent(key), sent(key), new Ending(state, null, 1, null));
  }

  private int run(String... words) {
    return runWith(Map.of("STEADFAST_JOURNAL_URL", server.jdbcUrl()), words);
  }

  private int runWith(Map<String, String> environment, String... words) {
    out.reset();
    error.reset();
    Output output =
        new Output(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(error, true, StandardCharsets.UTF_8));
    return new CommandLine(output, environment).run(words);
  }

  private String result() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String message() {
    return error.toString(StandardCharsets.UTF_8);
  }

  private JsonObject json(String... words) {
    String[] all = Arrays.copyOf(words, words.length + 1);
    all[words.length] = "--json";
    assertEquals(0, run(all), this::message);
    return JsonParser.parseString(result()).getAsJsonObject();
  }

  private String state(String key) {
    return json("journal", "show", "charge", key).get("state").getAsString();
  }

  @Test
  void nothingIsChangedWithoutYes() throws Exception {
    enlist("order-1");
    for (String verb : List.of("park", "cancel", "resume")) {
      assertEquals(0, run("journal", verb, "charge", "order-1"));
      assertEquals(
          verb + " charge order-1: would be done; nothing was changed. Add --yes to do it\n",
          result());
    }
    assertEquals("ready", state("order-1"));
    assertEquals(0, run("journal", "park", "charge", "order-1", "--yes"));
    assertEquals("park charge order-1: done\n", result());
    assertEquals("parked", state("order-1"));
    assertEquals(0, run("journal", "cancel", "charge", "order-1", "--yes"));
    assertEquals("cancelled", state("order-1"));
    assertEquals(1, run("journal", "resume", "charge", "order-1", "--yes"));
  }

  @Test
  void afterTheTimeOfItsKeyAnOperationIsOnlySettled() throws Exception {
    enlist("order-1");
    sent("order-1");
    assertEquals(1, run("journal", "resume", "charge", "order-1", "--yes"));
    assertTrue(result().contains("somebody works on it"), this::result);
    execute("update steadfast_operation set lease_until = now(), key_expires_at = now()");
    assertEquals(0, run("journal", "park", "charge", "order-1", "--yes"));
    for (String force : List.of("--json", "--force")) {
      assertEquals(1, run("journal", "resume", "charge", "order-1", "--yes", force));
      assertTrue(result().contains("settle it"), this::result);
    }
    assertEquals(1, run("journal", "cancel", "charge", "order-1", "--yes"));
    assertTrue(result().contains("settle it"), this::result);
    assertEquals(0, run("journal", "settle", "charge", "order-1", "applied"));
    assertEquals("parked", state("order-1"));
    assertEquals(0, run("journal", "settle", "charge", "order-1", "applied", "--yes"));
    assertEquals("succeeded", state("order-1"));
    assertEquals(1, run("journal", "settle", "charge", "order-1", "applied", "--yes"));
  }

  @Test
  void noBodyAndNoQueryIsShownUnlessAskedFor() throws Exception {
    enlist("order-1");
    for (String[] words :
        List.of(
            new String[] {"journal", "show", "charge", "order-1"},
            new String[] {"journal", "show", "charge", "order-1", "--json"},
            new String[] {"journal", "list", "overdue"},
            new String[] {"journal", "park", "charge", "order-1"})) {
      assertEquals(0, run(words));
      assertFalse(result().contains(SECRET), this::result);
    }
    JsonObject shown = json("journal", "show", "charge", "order-1", "--body");
    assertEquals(SECRET, shown.getAsJsonObject("request").get("body").getAsString());
    assertTrue(shown.getAsJsonObject("request").get("uri").getAsString().endsWith(SECRET));
  }

  // Contents are turned round, which is enough to see that they are not read.
  @Test
  void whatACodecEncodedIsNotShown() throws Exception {
    journal = JdbcJournal.builder(server.dataSource()).codec(new Turning()).build();
    enlist("order-1");
    assertEquals(CommandLine.DONE, run("journal", "show", "charge", "order-1", "--body"));
    assertTrue(result().contains("was written with a codec"), this::result);
    assertFalse(result().contains(SECRET), this::result);
    assertEquals(CommandLine.REFUSED, run("journal", "settle", "charge", "order-1", "applied"));
    assertEquals(CommandLine.DONE, run("journal", "park", "charge", "order-1", "--yes"));
    assertEquals(
        CommandLine.DONE, run("journal", "settle", "charge", "order-1", "applied", "--yes"));
  }

  private static final class Turning implements StorageCodec {
    @Override
    public byte[] encode(Place place, byte[] plain) {
      byte[] turned = new byte[plain.length];
      for (int i = 0; i < plain.length; i++) {
        turned[i] = plain[plain.length - 1 - i];
      }
      return turned;
    }

    @Override
    public byte[] decode(Place place, byte[] encoded) {
      return encode(place, encoded);
    }
  }

  @Test
  void listsArePaged() throws Exception {
    for (int i = 0; i < 5; i++) {
      enlist("order-" + i);
      run("journal", "park", "charge", "order-" + i, "--yes");
    }
    StringBuilder keys = new StringBuilder();
    JsonObject page = json("journal", "list", "parked", "--limit", "2");
    while (true) {
      page.getAsJsonArray("operations")
          .forEach(each -> keys.append(each.getAsJsonObject().get("key").getAsString()));
      if (page.get("next").isJsonNull()) {
        break;
      }
      String next = page.get("next").getAsString();
      page = json("journal", "list", "parked", "--limit", "2", "--after", next);
    }
    assertEquals("order-0order-1order-2order-3order-4", keys.toString());
    run("journal", "list", "parked", "--limit", "2");
    assertEquals(4, result().lines().count(), this::result);
    assertTrue(result().contains("there may be more: --after "), this::result);
  }

  @Test
  void unknownOnesAreListedAndCounted() throws Exception {
    ended("order-1", State.UNKNOWN);
    enlist("order-2");
    assertEquals(
        "order-1",
        json("journal", "list", "unknown")
            .getAsJsonArray("operations")
            .get(0)
            .getAsJsonObject()
            .get("key")
            .getAsString());
    JsonObject status = json("journal", "status");
    assertEquals(1, status.get("unknown").getAsInt());
    assertEquals(1, status.get("due").getAsInt());
  }

  @Test
  void whatIsFinishedIsCountedBeforeItIsPurged() throws Exception {
    ended("order-1", State.SUCCEEDED);
    execute("update steadfast_operation set ended_at = now() - interval '31 days'");
    execute("update steadfast_operation set key_expires_at = now()");
    assertEquals(1, json("journal", "purge", "30d").get("wouldBeDeleted").getAsInt());
    assertEquals(1, json("journal", "purge", "30d", "--yes").get("deleted").getAsInt());
    assertEquals(1, run("journal", "show", "charge", "order-1"));
    assertTrue(result().contains("no such operation"), this::result);
  }

  @Test
  void aParkedOneOfASequenceIsResumedByForceAlone() throws Exception {
    enlist("order-1", "payments");
    enlist("order-2", "payments");
    run("journal", "park", "charge", "order-1", "--yes");
    assertEquals(0, run("journal", "list", "parked"));
    assertTrue(result().contains("  payments  POST "), "who holds the sequence: " + result());
    assertEquals(1, run("journal", "resume", "charge", "order-1", "--yes"));
    assertTrue(result().contains("--force"), this::result);
    assertEquals(0, run("journal", "resume", "charge", "order-1", "--yes", "--force"));
    assertEquals("ready", state("order-1"));
  }

  @Test
  void wrongCommandsNameValueAndRange() {
    Map<String, String> wrong =
        Map.of(
            "journal list everything", "list: everything (expected: overdue, parked or unknown)",
            "journal list parked --limit 0", "--limit: 0 (expected: 1 to 1000)",
            "journal list parked --limit x", "--limit: x (expected: 1 to 1000)",
            "journal list parked --after x", "position: x (expected: a time and a number",
            "journal list overdue --since 5", "--since: 5 (expected: 0s or more, such as 90s",
            "journal purge", "purge: nothing (expected: 0s or more",
            "journal settle charge order-1", "settle: nothing (expected: applied or",
            "journal park charge", "no operation (expected: its NAME and its KEY)",
            "journal list parked --loud", "option: --loud (expected: one of those",
            "journel list", "first word: journel (expected: journal)");
    wrong.forEach((words, message) -> {
      assertEquals(2, run(words.split(" ")), words);
      assertTrue(message().startsWith(message), () -> words + ": " + message());
    });
    assertEquals(2, run("journal", "list", "parked", "--url"));
    assertTrue(message().startsWith("--url: nothing (expected: a value)"), this::message);
  }

  @Test
  void aPasswordOnTheCommandLineIsRefusedAndNotRepeated() {
    String url = "jdbc:postgresql://127.0.0.1/x?password=sesame";
    assertEquals(2, run("journal", "status", "--url", url));
    assertTrue(message().startsWith("--url: has a password"), this::message);
    assertFalse(message().contains("sesame"), this::message);
    assertEquals(2, runWith(Map.of(), "journal", "status"));
    assertTrue(message().startsWith("--url: nothing (expected: jdbc:postgresql"), this::message);
  }

  @Test
  void aDatabaseThatFailsHasAStatusOfItsOwn() {
    String closed = "jdbc:postgresql://127.0.0.1:1/postgres?user=postgres";
    assertEquals(3, run("journal", "status", "--url", closed));
    assertTrue(message().contains("no connection to the journal"), this::message);
    String other = server.jdbcUrl().replace("/postgres?", "/template1?");
    assertEquals(3, run("journal", "status", "--url", other));
    assertTrue(message().contains("there is no journal in this database"), this::message);
  }

  @Test
  void tablesOfAnEarlierVersionAreTold() throws Exception {
    execute("create schema earlier");
    JdbcJournal.builder(server.dataSource()).schema("earlier").createTables().build();
    execute("alter table earlier.steadfast_operation drop column passed");
    assertEquals(3, run("journal", "park", "charge", "1", "--yes", "--schema", "earlier"));
    assertTrue(message().contains("newer than the tables"), this::message);
  }

  @Test
  void aKeyDoesNotControlTheTerminalAndMayBeginWithDashes() throws Exception {
    enlist("--\u001b[2J");
    assertEquals(0, run("journal", "list", "overdue"));
    assertTrue(result().contains("--?[2J"), this::result);
    assertEquals(0, run("journal", "show", "--json", "--", "charge", "--\u001b[2J"));
    assertEquals(
        "--\u001b[2J", JsonParser.parseString(result()).getAsJsonObject().get("key").getAsString());
  }

  @Test
  void helpNeedsNoDatabase() {
    assertEquals(0, runWith(Map.of(), "journal", "help"));
    assertEquals(0, runWith(Map.of()));
    assertTrue(result().contains("settle NAME KEY applied"), this::result);
  }

  @Test
  void otherTablesAreNamedByOptionsOrTheEnvironment() throws Exception {
    execute("create schema if not exists shop");
    JdbcJournal other =
        JdbcJournal.builder(server.dataSource())
            .schema("shop")
            .tablePrefix("paid_")
            .createTables()
            .build();
    other.claim(intent("4711"), Duration.ofSeconds(30));
    assertEquals(1, run("journal", "show", "charge", "4711"));
    assertEquals(
        0, run("journal", "show", "charge", "4711", "--schema", "shop", "--table-prefix", "paid_"));
    Map<String, String> environment =
        Map.of(
            "STEADFAST_JOURNAL_URL",
            server.jdbcUrl(),
            "STEADFAST_JOURNAL_SCHEMA",
            "shop",
            "STEADFAST_JOURNAL_TABLE_PREFIX",
            "paid_");
    assertEquals(0, runWith(environment, "journal", "show", "charge", "4711"));
    assertEquals(2, run("journal", "status", "--schema", "Shop"));
    assertTrue(error.toString(StandardCharsets.UTF_8).contains("schema: Shop (expected: "));
  }
}
