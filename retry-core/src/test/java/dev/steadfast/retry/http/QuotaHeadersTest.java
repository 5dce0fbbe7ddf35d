package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Draws;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.ServerDelay;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of the headers about quotas, and what is ignored. */
class QuotaHeadersTest {
  private static final Instant NOW = Instant.parse("2014-06-06T12:30:30Z");

  private record Head(int status, Map<String, List<String>> headerMap) implements ResponseView {
    @Override
    public List<String> headers(String name) {
      return headerMap.getOrDefault(name, List.of());
    }
  }

  private static Head head(String... lines) {
    Map<String, List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : lines) {
      int colon = line.indexOf(':');
      all.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
          .add(line.substring(colon + 1).trim());
    }
    return new Head(200, all);
  }

  private static List<String> read(String... lines) {
    return QuotaHeaders.read(head(lines), ServerDelay.none(), NOW).stream()
        .map(QuotaHeadersTest::show)
        .toList();
  }

  private static String show(Quota quota) {
    Quota.Policy policy = quota.policy();
    return policy.name()
        + (policy.partition() == null ? "" : " of " + policy.partition())
        + (policy.ofRequests() ? " " : " units ")
        + quota.remaining()
        + "/"
        + policy.limit()
        + " "
        + Duration.ofNanos(quota.leftNanos())
        + "/"
        + Duration.ofNanos(policy.windowNanos());
  }

  @Test
  void rateLimit() {
    assertEquals(List.of("default 50/0 PT30S/PT0S"), read("RateLimit: \"default\";r=50;t=30"));
    assertEquals(
        List.of("burst 9/100 PT5S/PT1M", "day of :cHI6: units 0/1000 PT1H/PT24H"),
        read(
            "ratelimit: \"burst\";r=9;t=5 , \"day\";pk=:cHI6:;r=0;t=3600",
            "ratelimit-policy: \"burst\";q=100;w=60",
            "ratelimit-policy: \"day\";q=1000;w=86400;qu=\"content-bytes\";pk=:cHI6:"));
    assertEquals(
        List.of("a \"b\" of p 5/0 PT7S/PT0S"),
        read(" RateLimit:  \"a \\\"b\\\"\"; x; y=?0;d=@1659578233;f=-1.5; pk=p;r=5;t=7 ".strip()));
    assertEquals(
        List.of("d 5/0 PT7S/PT0S"), read("RateLimit: \"d\";note=%\"f%c3%bc\\r \";r=5;t=7"));
    assertEquals(
        List.of("a 5/10 PT1M/PT1M"),
        read("RateLimit: a;r=5", "RateLimit-Policy: \"a\";q=10;w=60;qu=\"requests\""));
  }

  @Test
  void vendors() {
    assertEquals(
        List.of(
            "x-ratelimit-requests 59/60 PT1S/PT0S", "x-ratelimit-tokens units 149/150 PT6M/PT0S"),
        read(
            "x-ratelimit-limit-requests: 60",
            "x-ratelimit-remaining-requests: 59",
            "x-ratelimit-reset-requests: 1s",
            "x-ratelimit-limit-tokens: 150",
            "x-ratelimit-remaining-tokens: 149",
            "x-ratelimit-reset-tokens: 6m0s"));
    assertEquals(
        List.of("anthropic-ratelimit-requests 4/5 PT30S/PT0S"),
        read(
            "Anthropic-Ratelimit-Requests-Limit: 5",
            "Anthropic-Ratelimit-Requests-Remaining: 4",
            "Anthropic-Ratelimit-Requests-Reset: 2014-06-06T12:31:00Z"));
    assertEquals(
        List.of("x-ratelimit of core 4999/5000 PT10S/PT0S"),
        read(
            "Date: Fri, 06 Jun 2014 12:30:00 GMT", // the clock of the server
            "X-RateLimit-Limit: 5000",
            "X-RateLimit-Remaining: 4999",
            "X-RateLimit-Reset: " + NOW.minusSeconds(20).getEpochSecond(),
            "X-RateLimit-Resource: core"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"20ms", "0.02s", "20000us"})
  void durationsOfVendors(String reset) {
    assertEquals(
        List.of("x-ratelimit-requests 1/0 PT0.02S/PT0S"),
        read("x-ratelimit-remaining-requests: 1", "x-ratelimit-reset-requests: " + reset));
  }

  @Test
  void aDelayThatTheServerAsksForGoesFirst() {
    Head head = head("RateLimit: \"none\";r=0;t=600, \"some\";r=7;t=600");
    List<Quota> quotas = QuotaHeaders.read(head, ServerDelay.atLeast(Duration.ofSeconds(5)), NOW);
    assertEquals(
        List.of("none 0/0 PT5S/PT0S", "some 7/0 PT10M/PT0S"),
        quotas.stream().map(QuotaHeadersTest::show).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RateLimit: \"d\";r=1000000000000000000000000000000;t=5",
        "RateLimit: \"d\";r=5;t=-1",
        "RateLimit: \"d\";r=-5;t=1",
        "RateLimit: \"d\";r=5",
        "RateLimit: \"d\";t=5",
        "RateLimit: \"d\";r=5.5;t=5",
        "RateLimit: \"d\";r=\"5\";t=5",
        "RateLimit: limit=10, remaining=5, reset=3",
        "RateLimit: (\"a\" \"b\");r=5;t=5",
        "RateLimit: \"d\";r=5;t=5,",
        "RateLimit: \"d\";r=5;t=5;u=",
        "RateLimit: \"d\";r=5;t=5 \"e\";r=5;t=5",
        "RateLimit: \"d\\n\";r=5;t=5",
        "RateLimit: \"d;r=5;t=5",
        "RateLimit: 5;r=5;t=5",
        "RateLimit: \"d\";r=5;t=5;note=%\"%C3\"",
        "RateLimit: \"d\";r=5;t=5;note=%\"a",
        "RateLimit: ",
        "X-RateLimit-Remaining: 5",
        "RateLimit-Remaining: 5"
      })
  void whatIsMalformedIsIgnored(String line) {
    assertEquals(List.of(), read(line));
  }

  @Test
  void whatContradictsItselfOrIsOldIsIgnored() {
    String policy = "RateLimit-Policy: \"d\";q=10;w=60";
    assertEquals(List.of(), read("RateLimit: \"d\";r=11;t=5", policy));
    assertEquals(List.of(), read("RateLimit: \"d\";r=1;t=5", "Age: 3"));
    assertEquals(List.of("d 1/0 PT5S/PT0S"), read("RateLimit: \"d\";r=1;t=5", "Age: 0"));
    assertEquals(
        List.of(),
        read("X-RateLimit-Remaining: 5", "X-RateLimit-Remaining: 6", "X-RateLimit-Reset: 5"));
    assertEquals(List.of(), read("X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1000000001"));
    String none = "RateLimit-Policy: \"d\";q=0;w=60";
    assertEquals(List.of(), read("RateLimit: \"d\";r=0;t=5", none));
    assertEquals(
        List.of(),
        read(
            "x-ratelimit-limit-tokens: 0",
            "x-ratelimit-remaining-tokens: 0",
            "x-ratelimit-reset-tokens: 1s"));
    String held = "RateLimit-Policy: \"d\";q=10;w=60;qu=\"concurrent-requests\"";
    assertEquals(List.of(), read("RateLimit: \"d\";r=1;t=5", held));
    String[] many = new String[17];
    Arrays.fill(many, "RateLimit: \"d\";r=1;t=5");
    assertEquals(List.of(), read(many));
  }

  @Test
  void theNamesThatMayTellOfAQuota() {
    for (String name :
        List.of("RateLimit", "ratelimit-policy", "X-RateLimit-Reset", "anthropic-ratelimit-x")) {
      assertTrue(QuotaHeaders.isOne(name), name);
    }
    for (String name : List.of("", "x", "Retry-After", "x-request-id-and-more", "accept-ranges")) {
      assertTrue(!QuotaHeaders.isOne(name), name);
    }
  }

  /** Mutated and random values: nothing throws, and no number is out of its range. */
  @Test
  void fuzz() {
    SplittableRandom random = new SplittableRandom(3);
    List<String> seeds =
        List.of(
            "\"default\";r=50;t=30, \"burst\";q=100;w=60;pk=:YQ==:;qu=\"x\"",
            "6m0s",
            "20ms",
            "2014-06-06T12:31:00Z",
            "1402057860",
            "999999999999999999",
            "");
    List<String> names =
        List.of(
            "RateLimit",
            "RateLimit-Policy",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "x-ratelimit-limit",
            "x-ratelimit-remaining-tokens",
            "x-ratelimit-reset-tokens",
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
            "Date");
    for (int i = 0; i < Draws.cases(200_000); i++) {
      List<String> lines = new ArrayList<>();
      for (String name : names) {
        lines.add(name + ": " + mutated(seeds.get(random.nextInt(seeds.size())), random));
      }
      for (Quota quota :
          QuotaHeaders.read(head(lines.toArray(new String[0])), ServerDelay.none(), NOW)) {
        assertTrue(quota.remaining() >= 0 && quota.leftNanos() >= 0, quota::toString);
      }
    }
  }

  private static String mutated(String seed, SplittableRandom random) {
    StringBuilder text = new StringBuilder(seed);
    for (int change = random.nextInt(4); change > 0; change--) {
      int at = random.nextInt(text.length() + 1);
      char any = "\"\\;,:=?()-. \t0919TZrtqwmsé\0*".charAt(random.nextInt(28));
      if (at < text.length() && random.nextBoolean()) {
        text.setCharAt(at, any);
      } else if (at < text.length() && random.nextBoolean()) {
        text.deleteCharAt(at);
      } else {
        text.insert(at, any);
      }
    }
    return text.toString();
  }
}
