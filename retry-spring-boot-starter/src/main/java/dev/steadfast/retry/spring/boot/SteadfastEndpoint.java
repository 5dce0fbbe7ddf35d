package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.RetryBudget;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/steadfast}: the state of each client. Shows no keys, headers or queries. */
@Endpoint(id = "steadfast")
final class SteadfastEndpoint {
  private final SteadfastClients clients;

  SteadfastEndpoint(SteadfastClients clients) {
    this.clients = clients;
  }

  /** The clients by name. Named types, so that ahead-of-time processing finds what to write. */
  record Clients(Map<String, State> clients) {}

  /**
   * One client.
   *
   * @param policy the policy as text
   * @param budget the budget as text
   * @param budgetAvailable how many retries the budget would pay for now, by origin
   * @param breakers the states of the circuit breakers, by origin
   * @param lastGivenUp the last ten operations that gave up, the latest first
   */
  record State(
      String policy,
      String budget,
      Map<String, Double> budgetAvailable,
      Map<String, String> breakers,
      List<ClientWatch.GiveUp> lastGivenUp) {}

  @ReadOperation
  Clients clients() {
    Map<String, State> states = new TreeMap<>();
    clients.all().forEach(each -> states.put(each.name(), state(each)));
    return new Clients(states);
  }

  private static State state(SteadfastClient client) {
    RetryBudget budget = client.retry().plan().budget();
    long now = client.retry().environment().ticker().getAsLong();
    Map<String, Double> available = new TreeMap<>();
    for (String origin : client.watch().origins()) {
      budget.available(origin, now).ifPresent(retries -> available.put(origin, retries));
    }
    return new State(
        client.retry().policy().toString(),
        budget.toString(),
        available,
        client.breakers(),
        client.watch().givenUp());
  }
}
