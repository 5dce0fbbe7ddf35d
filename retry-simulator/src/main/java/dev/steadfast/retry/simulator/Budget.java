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
 * @param floor the retries per second that a client may make without earning them
 * @param maker makes a budget
 */
record Budget(
    String text,
    Funding funding,
    double ratio,
    double burst,
    double floor,
    Supplier<RetryBudget> maker) {
  private static final String FORMS =
      "none, default, success(ratio,burst,floor), request(ratio,floor,ttl), grpc(tokens,ratio),"
          + " aws(500,14,5), concurrent(share,minimum)";

  /** The source of retries. */
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

  static final Budget NONE = new Budget("none", Funding.UNLIMITED, 0, 0, 0, RetryBudget::unlimited);
  static final Budget DEFAULT =
      new Budget("default", Funding.SUCCESS, 0.1, 10, 1, () -> RetryBudget.perOrigin(0.1));
  static final Budget SUCCESS = success("success(0.1,10,0)", 0.1, 10, 0);

  /** Not the library's: for comparison, and not offered on the command line. */
  static final Budget RETRY_BREAKER = other("retry-breaker", RetryBreaker::new);

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
        call.expect(0);
        return NONE;
      }
      case "default" -> {
        call.expect(0);
        return DEFAULT;
      }
      case "aws" -> {
        call.expect(3);
        return other(text, () -> RetryBudget.awsQuota(call.whole(0), call.whole(1), call.whole(2)));
      }
      case "success" -> {
        call.expect(3);
        return success(text, call.decimal(0), call.whole(1), call.decimal(2));
      }
      case "request" -> {
        call.expect(3);
        double ratio = call.decimal(0);
        int floor = call.whole(1);
        Duration ttl = Duration.ofNanos(call.nanos(2));
        return new Budget(
            text,
            Funding.REQUEST,
            ratio,
            floor * Durations.seconds(ttl.toNanos()),
            floor,
            () -> RetryBudget.requestFunded(ratio, floor, ttl));
      }
      case "grpc" -> {
        call.expect(2);
        return other(text, () -> RetryBudget.grpcThrottle(call.whole(0), call.decimal(1)));
      }
      case "concurrent" -> {
        call.expect(2);
        return other(text, () -> RetryBudget.concurrent(call.decimal(0), call.whole(1)));
      }
      default -> throw call.bad();
    }
  }

  private static Budget other(String text, Supplier<RetryBudget> maker) {
    return new Budget(text, Funding.OTHER, 0, 0, 0, maker);
  }

  private static Budget success(String text, double ratio, int burst, double floor) {
    return new Budget(
        text,
        Funding.SUCCESS,
        ratio,
        burst,
        floor,
        () -> RetryBudget.successFunded(ratio, burst, floor));
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
