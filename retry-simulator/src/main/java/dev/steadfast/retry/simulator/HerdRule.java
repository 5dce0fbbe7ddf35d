package dev.steadfast.retry.simulator;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How clients wait after a server asked them to: each rule is a real configuration.
 *
 * @param name its name in results
 * @param meaning how long it waits, R being what the server asked for
 * @param policy the policy
 * @param exact whether the server asks in the form that is kept exactly
 * @param gate whether an answer to one call holds back the others of its client
 */
record HerdRule(String name, String meaning, RetryPolicy policy, boolean exact, boolean gate) {
  private static final Backoff JITTER =
      Backoff.fullJitter(Duration.ofSeconds(1), Duration.ofSeconds(32));

  static List<HerdRule> all(HerdSpec spec) {
    long serverDelay = spec.serverDelayNanos();
    double oracle = spec.clients() / spec.perSecond() / spec.serverDelaySeconds();
    List<HerdRule> rules = new ArrayList<>();
    rules.add(exact(spec));
    rules.add(of("max", "max(R, full jitter)", policy(spec, JITTER, 0)));
    rules.add(of("tenth", "R + U(0, R/10)", policy(spec, Backoff.none(), 0.1)));
    rules.add(of("jitter", "R + full jitter", policy(spec, after(serverDelay), 0)));
    rules.add(of("spread", "R + U(0, R), the default", policy(spec, Backoff.none(), 1)));
    if (oracle <= 10) {
      rules.add(of("oracle", "R + U(0, N/mu)", policy(spec, Backoff.none(), oracle)));
    }
    if (spec.arriveNanos() > 0) {
      RetryPolicy spread = policy(spec, Backoff.none(), 1);
      rules.add(new HerdRule("gate", "R + U(0, R), held back", spread, false, true));
    }
    return rules;
  }

  /** Each waits for exactly the time that the server asked for. */
  static HerdRule exact(HerdSpec spec) {
    return new HerdRule("exact", "R", policy(spec, Backoff.none(), 0), true, false);
  }

  /** The rule of a policy as it is. */
  static HerdRule own(String name, RetryPolicy policy) {
    return of(name, name, policy);
  }

  private static HerdRule of(String name, String meaning, RetryPolicy policy) {
    return new HerdRule(name, meaning, policy, false, false);
  }

  private static RetryPolicy policy(HerdSpec spec, Backoff backoff, double spread) {
    return RetryPolicy.builder()
        .maxAttempts(Integer.MAX_VALUE)
        .noTotalTimeout()
        .maxServerDelay(Duration.ofSeconds(Math.max(60, spec.serverDelaySeconds())))
        .backoff(backoff)
        .serverDelaySpread(spread)
        .build();
  }

  /**
   * Full jitter on top of a server delay that is known, which makes it longer than the server delay
   * always.
   */
  private static Backoff after(long serverDelayNanos) {
    return (retry, previous, random) -> serverDelayNanos + JITTER.delayNanos(retry, 0, random);
  }

  HttpRetry retry(EventQueue time, Draws draws) {
    return HttpRetry.builder()
        .policy(policy)
        .budget(RetryBudget.unlimited())
        .environment(time.environment(draws.generator()))
        .serverDelayGate(gate)
        .build();
  }
}
