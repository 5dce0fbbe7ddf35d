package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.engine.Decided;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The published behaviour of the budgets of gRPC, the AWS SDKs, Finagle and Envoy. */
class BudgetVectorsTest {

  static Stream<Vectors.Vector> grpc() {
    return Vectors.group("grpc_throttle");
  }

  static Stream<Vectors.Vector> grpcConfig() {
    return Vectors.group("grpc_throttle_config");
  }

  static Stream<Vectors.Vector> aws() {
    return Vectors.group("aws_standard_retry");
  }

  static Stream<Vectors.Vector> awsQuota() {
    return Vectors.group("aws_retry_quota");
  }

  static Stream<Vectors.Vector> finagle() {
    return Vectors.group("finagle_retry_budget");
  }

  static Stream<Vectors.Vector> envoy() {
    return Vectors.group("envoy_retry_budget");
  }

  @ParameterizedTest
  @MethodSource("grpc")
  void grpcThrottle(Vectors.Vector vector) {
    JsonObject in = vector.input();
    if (vector.expected().has("effective")) {
      double effective = vector.expected().get("effective").getAsDouble();
      ThrottleAccount.Scale terms =
          ThrottleAccount.Scale.of(10, in.get("tokenRatio").getAsDouble());
      assertEquals(Math.round(effective * 1000), terms.ratioMillis());
      return;
    }
    RetryBudget budget =
        RetryBudget.grpcThrottle(
            in.get("maxTokens").getAsInt(), in.get("tokenRatio").getAsDouble());
    ThrottleAccount account = (ThrottleAccount) budget.account("x");
    String events = in.get("events").getAsString();
    JsonArray expected = vector.expected().getAsJsonArray("tokensAndRetryAllowed");
    for (int i = 0; i < events.length(); i++) {
      if (events.charAt(i) == 'F') {
        account.attemptFailed(FailureKind.UNAVAILABLE, null, i);
      } else if (events.charAt(i) == 'S') {
        account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, i);
      }
      JsonArray step = expected.get(i).getAsJsonArray();
      assertEquals(Math.round(step.get(0).getAsDouble() * 1000), account.millis(), "event " + i);
      assertEquals(
          step.get(1).getAsBoolean(),
          account.tryWithdraw(FailureKind.UNAVAILABLE, i).granted(),
          "event " + i);
    }
  }

  @ParameterizedTest
  @MethodSource("grpcConfig")
  void grpcThrottleConfig(Vectors.Vector vector) {
    int maxTokens = vector.input().get("maxTokens").getAsInt();
    double ratio = vector.input().get("tokenRatio").getAsDouble();
    if (vector.expected().get("valid").getAsBoolean()) {
      RetryBudget.grpcThrottle(maxTokens, ratio);
    } else {
      assertThrows(
          IllegalArgumentException.class, () -> RetryBudget.grpcThrottle(maxTokens, ratio));
    }
  }

  @ParameterizedTest
  @MethodSource("aws")
  void awsStandardRetry(Vectors.Vector vector) {
    JsonObject in = vector.input();
    // Our refusal is final at once: a caller that polls for long waits between its own polls.
    assumeFalse(in.has("longPolling"), "the wait of a long-polling call is the poller's");
    int cost = in.get("cost").getAsInt();
    QuotaAccount account =
        new QuotaAccount(
            QuotaAccount.Prices.of(in.get("maxc").getAsInt(), cost, cost),
            in.get("start").getAsInt(),
            new LatestTime());
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(in.get("maxAttempts").getAsInt())
            .backoff(Backoff.exponential(millis(in, "base"), millis(in, "capd")))
            .noTotalTimeout()
            .build();
    Decided decided = new Decided(policy, account, Draws.highest());
    String responses = in.get("responses").getAsString();
    JsonArray steps = vector.expected().getAsJsonArray("steps");
    for (int i = 0; i < responses.length(); i++) {
      boolean success = responses.charAt(i) == 'S';
      Verdict verdict = success ? Verdict.accepted() : Verdict.retryable(FailureKind.ERROR_STATUS);
      String decision = decided.attempt(verdict, i);
      JsonObject step = steps.get(i).getAsJsonObject();
      assertEquals(expected(step), decision, "response " + i);
      assertEquals(step.get("quota").getAsInt(), account.available(), "response " + i);
    }
  }

  private static String expected(JsonObject step) {
    return switch (step.get("outcome").getAsString()) {
      case "retry" -> "retry " + millis(step, "delayMillis").toNanos() + " BACKOFF";
      case "success" -> "ACCEPTED";
      case "retry_quota_exceeded" -> "BUDGET_EXHAUSTED";
      case "max_attempts_exceeded" -> "ATTEMPTS_EXHAUSTED";
      default -> throw new IllegalArgumentException(step.toString());
    };
  }

  @ParameterizedTest
  @MethodSource("awsQuota")
  void awsRetryQuota(Vectors.Vector vector) {
    JsonObject in = vector.input();
    QuotaAccount account =
        new QuotaAccount(
            QuotaAccount.Prices.of(in.get("max").getAsInt(), 14, 5),
            in.get("available").getAsInt(),
            new LatestTime());
    if (in.get("op").getAsString().equals("acquire")) {
      boolean throttled = in.get("throttling").getAsBoolean();
      Withdrawal taken =
          account.tryWithdraw(throttled ? FailureKind.THROTTLED : FailureKind.ERROR_STATUS, 0);
      assertEquals(!vector.expected().get("granted").isJsonNull(), taken.granted());
    } else {
      account.operationEnded(
          in.get("success").getAsBoolean()
              ? RetryBudget.Outcome.SUCCEEDED
              : RetryBudget.Outcome.FAILED,
          held(in.get("held")),
          0);
    }
    assertEquals(vector.expected().get("available").getAsInt(), account.available());
  }

  private static @Nullable Withdrawal held(JsonElement held) {
    return held.isJsonNull() ? null : Withdrawal.of(held.getAsInt());
  }

  @ParameterizedTest
  @MethodSource("finagle")
  void finagleRetryBudget(Vectors.Vector vector) {
    JsonObject in = vector.input();
    JsonObject expected = vector.expected();
    if (expected.has("error")) {
      assertThrows(IllegalArgumentException.class, () -> terms(in));
      return;
    }
    // The row without input is the one of Finagle's defaults.
    LeakyAccount.Leak terms = terms(in.has("ttlSeconds") ? in : expected);
    LeakyAccount account = new LeakyAccount(terms, true, new LatestTime());
    assertEquals(
        expected.get("initialBalance").getAsLong(), (long) account.available(0).orElseThrow());
    if (in.has("requests")) {
      long off =
          retries(account, in.get("requests").getAsInt()) - expected.get("retries").getAsLong();
      assertTrue(Math.abs(off) <= expected.get("tolerance").getAsLong(), "off by " + off);
    } else {
      assertEquals(expected.get("depositAmount").getAsLong(), terms.deposit());
      assertEquals(expected.get("withdrawalAmount").getAsLong(), terms.costOfRetry());
      assertEquals(expected.get("reserveTokens").getAsLong(), terms.reserve());
    }
  }

  private static LeakyAccount.Leak terms(JsonObject in) {
    return LeakyAccount.Leak.of(
        in.get("percentCanRetry").getAsDouble(),
        in.get("minRetriesPerSec").getAsInt(),
        Duration.ofSeconds(in.get("ttlSeconds").getAsLong()));
  }

  private static long retries(LeakyAccount account, int requests) {
    long retries = 0;
    for (int i = 0; i < requests; i++) {
      account.operationBegan(0);
      retries += account.tryWithdraw(FailureKind.OTHER, 0).granted() ? 1 : 0;
    }
    return retries;
  }

  @ParameterizedTest
  @MethodSource("envoy")
  void envoyRetryBudget(Vectors.Vector vector) {
    JsonObject in = vector.input();
    RetryBudget.Account account =
        RetryBudget.concurrent(
                in.get("budgetPercent").getAsDouble() / 100,
                in.get("minRetryConcurrency").getAsInt())
            .account("x");
    for (int i = 0; i < in.get("activeAndPending").getAsInt(); i++) {
      account.operationBegan(0);
    }
    for (int i = 0; i < vector.expected().get("maxConcurrentRetries").getAsInt(); i++) {
      assertTrue(account.tryWithdraw(FailureKind.OTHER, 0).granted());
    }
    assertFalse(account.tryWithdraw(FailureKind.OTHER, 0).granted());
  }

  private static Duration millis(JsonObject object, String name) {
    return Duration.ofMillis(object.get(name).getAsLong());
  }
}
