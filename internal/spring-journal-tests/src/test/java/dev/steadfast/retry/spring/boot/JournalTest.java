package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.Oversight;
import dev.steadfast.retry.journal.StorageCodec;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import dev.steadfast.retry.spring.RetryAttributes;
import dev.steadfast.retry.tck.ScriptedServer;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatusCode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.client.RestClient;

/** The journal in an application with Hibernate and PostgreSQL. */
final class JournalTest {
  @AutoClose private static PostgresServer database;

  private final ScriptedServer server = ScriptedServer.start();
  private ConfigurableApplicationContext app;

  /** An order. */
  @Entity
  @Table(name = "orders")
  static class Order {
    @Id private String number;

    Order() {}

    Order(String number) {
      this.number = number;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EntityScan(basePackageClasses = JournalTest.class)
  static class Shop {
    @Bean
    @ConditionalOnBooleanProperty("shop.encrypted")
    StorageCodec codec() {
      return new Flipping();
    }

    @Bean
    @Primary
    @ConditionalOnBooleanProperty("shop.jdbc")
    PlatformTransactionManager ofJdbc(
        DataSource source, TransactionManagerCustomizers customizers) {
      JdbcTransactionManager made = new JdbcTransactionManager(source);
      customizers.customize(made);
      return made;
    }
  }

  /** Stores the complement of each byte. */
  private static final class Flipping implements StorageCodec {
    @Override
    public byte[] encode(Place place, byte[] plain) {
      byte[] flipped = plain.clone();
      for (int at = 0; at < flipped.length; at++) {
        flipped[at] = (byte) ~flipped[at];
      }
      return flipped;
    }

    @Override
    public byte[] decode(Place place, byte[] encoded) {
      return encode(place, encoded);
    }
  }

  @BeforeAll
  static void startDatabase() throws IOException {
    database = PostgresServer.temporary();
  }

  @AfterEach
  void close() {
    if (app != null) {
      JdbcTemplate sql = app.getBean(JdbcTemplate.class);
      inTransaction(within -> {
        sql.execute("delete from steadfast_operation");
        sql.execute("delete from orders");
      });
      app.close();
    }
    server.close();
  }

  private static ConfigurableApplicationContext run(String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "spring.main.banner-mode=off",
                "logging.level.root=warn",
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.jpa.hibernate.ddl-auto=update",
                "spring.jpa.open-in-view=false",
                "steadfast.clients.pay.idempotency=random-uuid",
                "steadfast.clients.pay.policy=maxAttempts=1; totalTimeout=10s"));
    all.addAll(Arrays.asList(properties));
    return new SpringApplicationBuilder(Shop.class)
        .web(WebApplicationType.NONE)
        .registerShutdownHook(false)
        .properties(all.toArray(String[]::new))
        .run();
  }

  private void start(String... properties) {
    List<String> all = new ArrayList<>(Arrays.asList(properties));
    all.add("steadfast.journal.enabled=true");
    all.add("steadfast.journal.create-tables=true");
    app = run(all.toArray(String[]::new));
  }

  private void startWithoutJobs() {
    start("steadfast.journal.resume.enabled=false");
  }

  private SteadfastJournal journal() {
    return app.getBean(SteadfastJournal.class);
  }

  private Oversight oversight() {
    return journal().journal().oversight();
  }

  private RetryingHttpClient client(String key) {
    return app.getBean(SteadfastClients.class)
        .get("pay")
        .httpClient()
        .with(RetryOptions.builder().journaled("charge", key).build());
  }

  private HttpRequest request() {
    return HttpRequest.newBuilder(server.uri("/charges"))
        .POST(HttpRequest.BodyPublishers.ofString("5"))
        .build();
  }

  private boolean enlist(String key) {
    return journal().enlist(client(key).intent(request()));
  }

  private HttpResponse<String> call(String key) throws Exception {
    return client(key).send(request(), BodyHandlers.ofString());
  }

  private void inTransaction(Consumer<TransactionTemplate> work) {
    TransactionTemplate transaction =
        new TransactionTemplate(app.getBean(PlatformTransactionManager.class));
    transaction.executeWithoutResult(status -> work.accept(transaction));
  }

  private void order(String number) {
    EntityManager orders = app.getBean(EntityManager.class);
    orders.persist(new Order(number));
  }

  private int orders() {
    Integer count =
        app.getBean(JdbcTemplate.class)
            .queryForObject("select count(*) from orders", Integer.class);
    return count == null ? -1 : count;
  }

  private Optional<State> state(String key) throws IOException {
    return oversight().find("charge", key).map(Oversight.Entry::state);
  }

  @Test
  void orderAndOperationAreCommittedTogether() throws Exception {
    startWithoutJobs();
    inTransaction(within -> {
      order("1");
      assertTrue(enlist("1"));
    });
    assertEquals(1, orders());
    assertEquals(Optional.of(State.READY), state("1"));
    assertEquals(200, call("1").statusCode());
    assertEquals(Optional.of(State.SUCCEEDED), state("1"));
  }

  @Test
  void orderAndOperationAreRolledBackTogether() throws Exception {
    startWithoutJobs();
    assertThrows(
        IllegalStateException.class,
        () ->
            inTransaction(within -> {
              order("1");
              assertTrue(enlist("1"));
              throw new IllegalStateException("the shop changed its mind");
            }));
    assertEquals(0, orders());
    assertEquals(Optional.empty(), state("1"));
  }

  @Test
  void enlistingOutsideOfATransactionIsRefused() {
    startWithoutJobs();
    IllegalStateException refused = assertThrows(IllegalStateException.class, () -> enlist("1"));
    assertTrue(refused.getMessage().contains("within @Transactional"), refused.getMessage());
  }

  @Test
  void theSameCallWithinTheTransactionIsRefusedAndNothingIsSent() {
    startWithoutJobs();
    inTransaction(within -> {
      assertTrue(enlist("1"));
      RefusedException refused = assertThrows(RefusedException.class, () -> call("1"));
      assertEquals(Refusal.IN_FLIGHT, refused.refusal());
      assertTrue(refused.getMessage().contains("call it after the commit"), refused.getMessage());
      RetryReport.Saved saved = RetryReport.of(refused).flatMap(RetryReport::saved).orElseThrow();
      assertEquals(RetryReport.Effect.UNKNOWN, saved.effect());
    });
    assertEquals(0, server.requests().size());
  }

  @Test
  void whatRunsAfterTheCommitCanCall() throws Exception {
    startWithoutJobs();
    List<Integer> answers = new ArrayList<>();
    inTransaction(within -> {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void afterCommit() {
              try {
                answers.add(call("1").statusCode());
              } catch (Exception failed) {
                throw new IllegalStateException(failed);
              }
            }
          });
      assertTrue(enlist("1"));
    });
    assertEquals(List.of(200), answers);
  }

  /** Spring would roll the row back after enlist has returned true. */
  @Test
  void enlistingAfterTheCommitIsRefused() throws Exception {
    startOnJdbc();
    List<String> refused = new ArrayList<>();
    inTransaction(within -> {
      orders();
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              assertTrue(enlist("before"));
            }

            @Override
            public void afterCommit() {
              refused.add(refusal("after"));
              within.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
              within.executeWithoutResult(status -> assertTrue(enlist("new")));
              refused.add(refusal("after"));
            }

            @Override
            public void afterCompletion(int status) {
              refused.add(refusal("after"));
            }
          });
    });
    assertEquals(3, refused.size());
    refused.forEach(each -> assertTrue(each.startsWith("transaction: committed already"), each));
    assertEquals(Optional.of(State.READY), state("before"));
    assertEquals(Optional.of(State.READY), state("new"));
    assertEquals(Optional.empty(), state("after"));
    inTransaction(within -> assertTrue(enlist("after"), "nothing is kept of what was refused"));
    assertEquals(200, call("after").statusCode());
  }

  /** With a pool that leaves it to the transaction manager when to commit. */
  private void startOnJdbc() {
    start(
        "steadfast.journal.resume.enabled=false",
        "spring.datasource.hikari.auto-commit=false",
        "shop.jdbc=true");
  }

  private String refusal(String key) {
    return assertThrows(IllegalStateException.class, () -> enlist(key)).getMessage();
  }

  @Test
  void aReadOnlyTransactionIsToldByAnExceptionOfSpring() {
    startWithoutJobs();
    TransactionTemplate readOnly =
        new TransactionTemplate(app.getBean(PlatformTransactionManager.class));
    readOnly.setReadOnly(true);
    assertThrows(
        DataAccessException.class, () -> readOnly.executeWithoutResult(status -> enlist("1")));
  }

  @Test
  void aCallWithinATransactionIsCommittedOnItsOwn() throws Exception {
    startWithoutJobs();
    assertThrows(
        IllegalStateException.class,
        () ->
            inTransaction(within -> {
              order("1");
              try {
                assertEquals(200, call("1").statusCode());
              } catch (Exception failed) {
                throw new AssertionError(failed);
              }
              throw new IllegalStateException("the shop changed its mind");
            }));
    assertEquals(0, orders());
    assertEquals(Optional.of(State.SUCCEEDED), state("1"), "the server did it");
  }

  @Test
  void theJobSendsWhatIsEnlisted() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    start("steadfast.journal.resume.interval=100ms");
    inTransaction(within -> {
      order("1");
      assertTrue(enlist("1"));
    });
    CompletableFuture<Void> seen =
        CompletableFuture.runAsync(() -> {
          while (server.requests().isEmpty()) {
            Thread.onSpinWait();
          }
          sent.countDown();
        });
    assertTrue(sent.await(60, TimeUnit.SECONDS));
    seen.join();
    MeterRegistry meters = app.getBean(MeterRegistry.class);
    assertEquals(
        1, meters.get("steadfast.journal.deliveries").tag("operation", "charge").counter().count());
  }

  // Spring's tests pause the contexts that they keep.
  @Test
  void aPausedContextSendsNothing_andGoesOnAfterIt() throws Exception {
    start("steadfast.journal.resume.interval=100ms");
    app.pause();
    assertFalse(app.getBean(JournalJobs.class).isRunning());
    inTransaction(within -> assertTrue(enlist("1")));
    app.restart();
    server.awaitRequests(1, Duration.ofSeconds(60));
  }

  @Test
  void aBeanEncodesWhatIsStored() throws Exception {
    start("steadfast.journal.resume.enabled=false", "shop.encrypted=true");
    assertEquals(200, call("1").statusCode());
    byte[] stored =
        app.getBean(JdbcTemplate.class)
            .queryForObject("select body from steadfast_operation", byte[].class);
    assertFalse(new String(stored, StandardCharsets.ISO_8859_1).contains("5"));
    assertEquals("5", server.requests().get(0).bodyText());
  }

  /** Tracing sets its headers as an interceptor does. */
  @Test
  void aTracedCallNeedsNoSetting() throws Exception {
    startWithoutJobs();
    RestClient pay =
        app.getBean(SteadfastClients.class)
            .get("pay")
            .restClient()
            .requestInterceptor((request, body, execution) -> {
              String trace = "00-" + "1".repeat(32) + "-" + "2".repeat(16) + "-01";
              request.getHeaders().set("traceparent", trace);
              request.getHeaders().set("baggage", "shop=7");
              return execution.execute(request, body);
            })
            .build();
    RetryOptions options = RetryOptions.builder().journaled("charge", "1").build();
    HttpStatusCode status =
        pay.post()
            .uri(server.uri("/charges"))
            .attributes(RetryAttributes.options(options))
            .body("5")
            .retrieve()
            .toBodilessEntity()
            .getStatusCode();
    assertEquals(200, status.value());
    assertTrue(server.requests().get(0).header("traceparent").isPresent());
    assertEquals(Optional.of(State.SUCCEEDED), state("1"));
  }

  @Test
  void healthAndMetersCount() {
    startWithoutJobs();
    inTransaction(within -> assertTrue(enlist("1")));
    Health health = app.getBean("steadfastJournalHealthIndicator", HealthIndicator.class).health();
    assertEquals(Status.UP, health.getStatus());
    assertEquals(1L, health.getDetails().get("due"));
    MeterRegistry meters = app.getBean(MeterRegistry.class);
    assertEquals(1, meters.get("steadfast.journal.due").gauge().value());
    assertEquals(0, meters.get("steadfast.journal.parked").gauge().value());
    assertEquals(0, meters.get("steadfast.journal.unknown").gauge().value());
    assertTrue(meters.get("steadfast.journal.due.age").timeGauge().value(TimeUnit.HOURS) < 1);
    assertEquals(0, meters.get("steadfast.journal.left.age").timeGauge().value());
  }

  @Test
  void withoutTheSettingThereIsNoJournal() {
    try (ConfigurableApplicationContext without = run()) {
      assertFalse(without.containsBean("steadfastJournal"));
    }
  }

  @Test
  void itsTablesHaveTheSchemaAndThePrefixOfTheProperties() throws Exception {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create schema shop");
      try (ConfigurableApplicationContext named =
          run(
              "steadfast.journal.enabled=true",
              "steadfast.journal.create-tables=true",
              "steadfast.journal.resume.enabled=false",
              "steadfast.journal.schema=shop",
              "steadfast.journal.table-prefix=paid_")) {
        Oversight oversight = named.getBean(SteadfastJournal.class).journal().oversight();
        assertEquals(0, oversight.totals().due());
      }
      statement.execute("drop table shop.paid_operation, shop.paid_sequence");
      statement.execute("drop schema shop");
    }
  }

  @Test
  void wrongPropertiesEndTheStart() {
    wrong("data-source=nobody", "expected: the name of a bean of type DataSource");
    wrong("schema=Shop", "schema: Shop (expected: 1 to 63");
    wrong("table-prefix=1", "tablePrefix: 1 (expected: 1 to 40");
    wrong("resume.most=0", "expected: 1 to 10,000");
    wrong("resume.interval=1ms", "expected: PT0.1S to P3650D");
    wrong("purge.older-than=1m", "expected: PT1H to P3650D");
    wrong("resume.client=nobody", "one of [pay]");
  }

  private static void wrong(String property, String message) {
    Throwable thrown =
        assertThrows(
            RuntimeException.class,
            () ->
                run(
                        "steadfast.journal.enabled=true",
                        "steadfast.journal.create-tables=true",
                        "steadfast.journal." + property)
                    .close());
    StringBuilder all = new StringBuilder();
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      all.append(each.getMessage()).append('\n');
    }
    assertTrue(all.toString().contains(message), all::toString);
    assertInstanceOf(RuntimeException.class, thrown);
  }
}
