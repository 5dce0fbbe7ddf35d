package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryBudget;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A budget as it is written on the command line, and how to make one.
 *
 * @param text its text
 * @param funding what earns retries
 * @param ratio what one earns
 * @param burst the retries that a client may make before any is earned
 * @param maker makes a budget
 */
record Budget(
    String text, Funding funding, double ratio, double burst, Supplier<RetryBudget> maker) {
  private static final String FORMS =
      "none, default, success(ratio,burst,floor), request(ratio,floor,ttl), grpc(tokens,ratio), aws(500,14,5),"
          + " concurrent(share,minimum)";

  /** What earns retries. */
  enum Funding {
    /** Nothing need be earned. */
    UNLIMITED,
    /** A success. */
    SUCCESS,
    /** A first try. */
    REQUEST,
    /** Retries are bounded in another way. */
    OTHER
  }

  static final Budget NONE = new Budget("none", Funding.UNLIMITED, 0, 0, RetryBudget::unlimited);
  static final Budget SUCCESS = success("success(0.1,10,0)", 0.1, 10, 0);

  static Budget parse(String text) {
    Call call = Call.read(text, "--budget", FORMS);
    Budget budget = of(call);
    try {
      budget.open();
    } catch (IllegalArgumentException refused) {
      throw new BadInputException("--budget: " + refused.getMessage());
    }
    return budget;
  }

  private static Budget of(Call call) {
    String text = call.text();
    switch (call.name()) {
      case "none" -> {
        call.numbers("none", 0);
        return NONE;
      }
      case "default" -> {
        call.numbers("default", 0);
        return new Budget(text, Funding.SUCCESS, 0.1, 10, () -> RetryBudget.perOrigin(0.1));
      }
      case "aws" -> {
        double[] n = call.numbers("aws", 3);
        return new Budget(
            text,
            Funding.OTHER,
            0,
            0,
            () -> RetryBudget.awsQuota((int) n[0], (int) n[1], (int) n[2]));
      }
      case "success" -> {
        double[] n = call.numbers("success", 3);
        return success(text, n[0], (int) n[1], n[2]);
      }
      case "request" -> {
        double[] n = call.numbers("request", 3);
        Duration ttl = Duration.ofNanos((long) n[2]);
        double burst = n[1] * Durations.seconds(ttl.toNanos());
        return new Budget(
            text,
            Funding.REQUEST,
            n[0],
            burst,
            () -> RetryBudget.requestFunded(n[0], (int) n[1], ttl));
      }
      case "grpc" -> {
        double[] n = call.numbers("grpc", 2);
        return new Budget(
            text, Funding.OTHER, 0, 0, () -> RetryBudget.grpcThrottle((int) n[0], n[1]));
      }
      case "concurrent" -> {
        double[] n = call.numbers("concurrent", 2);
        return new Budget(
            text, Funding.OTHER, 0, 0, () -> RetryBudget.concurrent(n[0], (int) n[1]));
      }
      default -> throw call.bad();
    }
  }

  private static Budget success(String text, double ratio, int burst, double floor) {
    return new Budget(
        text, Funding.SUCCESS, ratio, burst, () -> RetryBudget.successFunded(ratio, burst, floor));
  }

  /** Whether it ever refuses a retry. */
  boolean bounds() {
    return funding != Funding.UNLIMITED;
  }

  RetryBudget open() {
    return maker.get();
  }

  @Override
  public String toString() {
    return text;
  }
}
