package dev.steadfast.retry.http;

import dev.steadfast.retry.Quota;
import dev.steadfast.retry.ServerDelay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an answer says about quotas. Headers that are malformed, contradict each other or come
 * from a cache are ignored; nothing here throws, whatever a server sends.
 *
 * @see <a
 *     href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/">RateLimit
 *     header fields for HTTP</a>
 */
final class QuotaHeaders {
  private static final String COMMON = "ratelimit";
  private static final int AFTER_X = "x-".length();
  private static final int AFTER_ANTHROPIC = "anthropic-".length();

  private static final int MOST_LINES = 16;
  private static final int MOST_CHARACTERS = 1024;
  private static final long SECOND = 1_000_000_000;

  private static final List<Family> FAMILIES =
      List.of(
          Family.of("x-ratelimit-", "-requests", true),
          Family.of("x-ratelimit-", "-tokens", false),
          Family.of("anthropic-ratelimit-requests-", "", true),
          Family.of("anthropic-ratelimit-tokens-", "", false),
          Family.of("anthropic-ratelimit-input-tokens-", "", false),
          Family.of("anthropic-ratelimit-output-tokens-", "", false),
          Family.of("x-ratelimit-", "", true));

  /** The headers that tell of one quota. */
  private record Family(
      String name, boolean ofRequests, String limit, String remaining, String reset) {
    static Family of(String prefix, String suffix, boolean ofRequests) {
      return new Family(
          prefix.substring(0, prefix.length() - 1) + suffix,
          ofRequests,
          prefix + "limit" + suffix,
          prefix + "remaining" + suffix,
          prefix + "reset" + suffix);
    }
  }

  private QuotaHeaders() {}

  /** Whether a header may tell of a quota. Asked of every header of every answer. */
  static boolean isOne(String name) {
    if (name.length() < COMMON.length()) {
      return false;
    }
    return switch (name.charAt(0)) {
      case 'r', 'R' -> has(name, 0);
      case 'x', 'X' -> has(name, AFTER_X);
      case 'a', 'A' -> has(name, AFTER_ANTHROPIC);
      default -> false;
    };
  }

  private static boolean has(String name, int at) {
    return name.regionMatches(true, at, COMMON, 0, COMMON.length());
  }

  /**
   * All quotas that an answer tells of.
   *
   * @param serverDelay the delay that the same answer asks for; it replaces the reset of a quota of
   *     which nothing is left
   */
  static List<Quota> read(ResponseView response, ServerDelay serverDelay, Instant now) {
    if (isCached(response)) {
      return List.of();
    }
    List<Quota> quotas = new ArrayList<>();
    structured(response, quotas);
    QuotaReset resets = new QuotaReset(response, now);
    for (Family family : FAMILIES) {
      Quota quota = of(family, response, resets);
      if (quota != null) {
        quotas.add(quota);
      }
    }
    if (serverDelay.present()) {
      quotas.replaceAll(each -> each.remaining() > 0 ? each : until(each, serverDelay.nanos()));
    }
    return quotas;
  }

  private static Quota until(Quota quota, long leftNanos) {
    return new Quota(quota.policy(), 0, leftNanos, 0);
  }

  // Some caches send "Age: 0" on answers that come from the server, so only another age counts.
  private static boolean isCached(ResponseView response) {
    for (String age : response.headers("Age")) {
      if (!age.trim().equals("0")) {
        return true;
      }
    }
    return false;
  }

  // The families of vendors.

  private static @Nullable Quota of(Family family, ResponseView response, QuotaReset resets) {
    String remaining = single(response, family.remaining());
    String reset = single(response, family.reset());
    if (remaining == null || reset == null) {
      return null;
    }
    String stated = single(response, family.limit());
    long limit = stated == null ? -1 : Digits.parse(stated);
    long left = Digits.parse(remaining);
    QuotaReset.Time until = resets.read(reset);
    if (left < 0 || until == null || contradicts(limit, left)) {
      return null;
    }
    // GitHub names the part of its API that a quota is for.
    String partition =
        family.name().equals("x-ratelimit") ? single(response, "x-ratelimit-resource") : null;
    Quota.Policy policy =
        new Quota.Policy(family.name(), partition, family.ofRequests(), Math.max(0, limit), 0);
    return new Quota(policy, left, until.leftNanos(), until.resolutionNanos());
  }

  /** The value of a header; null if it is absent, or comes with different values. */
  private static @Nullable String single(ResponseView response, String name) {
    List<String> lines = response.headers(name);
    if (lines.isEmpty() || lines.size() > MOST_LINES) {
      return null;
    }
    String first = lines.get(0);
    for (String line : lines) {
      if (!line.equals(first)) {
        return null;
      }
    }
    return ServerDelayParser.trim(first);
  }

  // RateLimit and RateLimit-Policy.

  private static void structured(ResponseView response, List<Quota> quotas) {
    List<StructuredItem> remainders = items(response, "RateLimit");
    if (remainders.isEmpty()) {
      return;
    }
    Map<String, StructuredItem> policies = new HashMap<>();
    for (StructuredItem policy : items(response, "RateLimit-Policy")) {
      policies.putIfAbsent(key(policy), policy);
    }
    for (StructuredItem remainder : remainders) {
      Quota quota = of(remainder, policies.get(key(remainder)));
      if (quota != null) {
        quotas.add(quota);
      }
    }
  }

  private static String key(StructuredItem item) {
    String partition = item.text("pk");
    return partition == null ? item.name() : item.name() + " " + partition;
  }

  private static @Nullable Quota of(StructuredItem remainder, @Nullable StructuredItem policy) {
    String unit = policy == null ? null : policy.text("qu");
    if (unit != null && unit.equals("concurrent-requests")) {
      return null; // not a rate
    }
    long limit = policy == null ? -1 : policy.number("q");
    long seconds = policy == null ? -1 : policy.number("w");
    long remaining = remainder.number("r");
    long reset = remainder.number("t");
    boolean toldWhen = reset >= 0 || (reset == StructuredItem.ABSENT && seconds > 0);
    if (remaining < 0 || !toldWhen || contradicts(limit, remaining)) {
      return null;
    }
    Quota.Policy about =
        new Quota.Policy(
            remainder.name(),
            remainder.text("pk"),
            unit == null || unit.equals("requests"),
            Math.max(0, limit),
            nanos(Math.max(0, seconds)));
    return new Quota(about, remaining, nanos(reset >= 0 ? reset : seconds), SECOND);
  }

  /** Whether a limit cannot be true; negative if not stated. A limit of 0 allows no request. */
  private static boolean contradicts(long limit, long remaining) {
    return limit == 0 || (limit > 0 && remaining > limit);
  }

  private static long nanos(long seconds) {
    return Math.min(seconds, Long.MAX_VALUE / SECOND) * SECOND;
  }

  private static List<StructuredItem> items(ResponseView response, String name) {
    List<String> lines = response.headers(name);
    if (lines.isEmpty() || lines.size() > MOST_LINES) {
      return List.of();
    }
    String whole = lines.size() == 1 ? lines.get(0) : String.join(",", lines);
    return whole.length() > MOST_CHARACTERS ? List.of() : StructuredItem.list(whole);
  }
}
