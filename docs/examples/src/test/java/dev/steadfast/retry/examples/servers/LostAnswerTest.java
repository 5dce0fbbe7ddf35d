package dev.steadfast.retry.examples.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.examples.guide.EffectivelyOnceGuide;
import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What each kind of server makes of a request whose first answer was lost. The table in
 * docs/effectively-once.md says the same.
 */
final class LostAnswerTest {
  private static final String REDIS = "Lock in Redis";
  private static final RetryOptions ONCE = EffectivelyOnceGuide.onceWithoutKey();

  // Name, what the client is told, answer, report, effects. The name may be a link.
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| \\[?([^|\\]]+)(?:]\\([^)]*\\))? \\| [^|]* \\| ([^|]*) \\| ([^|]*) \\| (\\d+) \\|$");

  @ParameterizedTest
  @EnumSource
  void theTableOfThePageIsTrue(Client client) throws Exception {
    List<String> seen = new ArrayList<>();
    seen.add("No protection" + unprotected(client));
    seen.add("Operation log" + operationLog(client));
    seen.add("Conditional insert" + conditionalInsert(client));
    if (RedisServer.installed()) {
      seen.add(REDIS + redisLock(client));
    }
    seen.add("Natural key, PUT" + put(client));
    seen.add("Natural key, POST" + post(client));
    seen.add("Optimistic version" + optimisticVersion(client));
    seen.add("Optimistic version, by the helper" + readModifyWrite(client));
    seen.add("One-time token" + oneTimeToken(client));
    seen.add("Duplicate filter" + duplicateFilter(client));
    assertEquals(String.join("\n", table()), String.join("\n", seen));
  }

  private static List<String> table() throws IOException {
    String page = Files.readString(Path.of("../effectively-once.md"));
    return ROW.matcher(page)
        .results()
        .filter(row -> !row.group(1).equals(REDIS) || RedisServer.installed())
        .map(LostAnswerTest::row)
        .toList();
  }

  private static String row(MatchResult row) {
    return String.join(" | ", row.group(1), row.group(2), row.group(3), row.group(4));
  }

  private static String row(Told told, long effects) {
    return " | " + told.summary() + " | " + effects;
  }

  private static Service payingEachTime(DataSource dataSource, Ledger ledger) {
    return new Service() {
      @Override
      public String tables() {
        return "";
      }

      @Override
      public Answer answer(Request request) throws SQLException {
        return Sql.transaction(dataSource, connection -> ledger.pay(connection, request.payment()));
      }
    };
  }

  private static String unprotected(Client client) throws Exception {
    try (TestServer server = new TestServer((db, ledger, faults) -> payingEachTime(db, ledger))) {
      server.loseAnswer();
      return row(server.send(client, server.payment("i")), server.payments("i"));
    }
  }

  private static String operationLog(Client client) throws Exception {
    try (TestServer server = TestServer.operationLog()) {
      server.loseAnswer();
      return row(server.send(client, server.payment("i").key("k")), server.payments("i"));
    }
  }

  private static String conditionalInsert(Client client) throws Exception {
    try (TestServer server = TestServer.conditionalInsert()) {
      server.loseAnswer();
      return row(server.send(client, server.payment("i").key("k")), server.payments("i"));
    }
  }

  private static String redisLock(Client client) throws Exception {
    try (RedisServer redis = new RedisServer();
        TestServer server = TestServer.redisLock(redis)) {
      server.loseAnswer();
      return row(server.send(client, server.payment("i").key("k")), server.payments("i"));
    }
  }

  private static String put(Client client) throws Exception {
    try (TestServer server = TestServer.naturalKey()) {
      server.loseAnswer();
      Call put = Call.put(server.uri("/orders/i"), "amount=100");
      return row(server.send(client, put), server.payments("i"));
    }
  }

  private static String post(Client client) throws Exception {
    try (TestServer server = TestServer.naturalKey()) {
      server.loseAnswer();
      Call post = Call.post(server.uri("/orders"), "intent=i&amount=100").options(ONCE);
      return row(server.send(client, post), server.payments("i"));
    }
  }

  private static String optimisticVersion(Client client) throws Exception {
    try (TestServer server = TestServer.optimisticVersion()) {
      server.loseAnswer();
      Call put = Call.put(server.uri("/accounts/acme"), "amount=70").header("If-Match", "\"1\"");
      Told told = server.send(client, put.options(ONCE));
      return row(told, server.number("select version - 1 from accounts"));
    }
  }

  private static String readModifyWrite(Client client) throws Exception {
    try (TestServer server = TestServer.optimisticVersion()) {
      EffectResult<Long> result =
          client.update(
              server.uri("/accounts/acme"),
              server.inVirtualTime(),
              amount -> {
                server.loseAnswer();
                return amount - 30;
              });
      String told = result.answer().orElseThrow().status() + " | `" + result.effect() + "`";
      return " | " + told + " | " + server.number("select version - 1 from accounts");
    }
  }

  private static String oneTimeToken(Client client) throws Exception {
    try (TestServer server = TestServer.oneTimeToken()) {
      Told given = server.send(client, Call.post(server.uri("/tokens"), ""));
      server.loseAnswer();
      Call pay =
          server
              .payment("i")
              .header("Payment-Token", given.headers().apply("Payment-Token"))
              .options(ONCE);
      return row(server.send(client, pay), server.payments("i"));
    }
  }

  private static String duplicateFilter(Client client) throws Exception {
    try (TestServer server = TestServer.duplicateFilter()) {
      server.loseAnswer();
      Call pay = server.payment("i").options(ONCE);
      Told told = server.send(client, pay, EffectivelyOnceGuide.duplicateFilter());
      return row(told, server.payments("i"));
    }
  }
}
