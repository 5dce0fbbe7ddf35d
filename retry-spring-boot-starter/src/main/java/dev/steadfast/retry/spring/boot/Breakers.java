package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.BeanFactory;

/** The circuit breakers of one client, by resilience4j. Loaded only where they are asked for. */
final class Breakers {
  private final CircuitBreakerRegistry registry;

  private Breakers(CircuitBreakerRegistry registry) {
    this.registry = registry;
  }

  /** A breaker per origin, with the configuration that is a bean, else that of resilience4j. */
  static Breakers of(BeanFactory beans) {
    CircuitBreakerConfig config =
        beans
            .getBeanProvider(CircuitBreakerConfig.class)
            .getIfAvailable(CircuitBreakerConfig::ofDefaults);
    return new Breakers(CircuitBreakerRegistry.of(config));
  }

  Guard guard() {
    return Resilience4jGuards.circuitBreaker(registry);
  }

  /** The states by origin. */
  Map<String, String> states() {
    Map<String, String> states = new TreeMap<>();
    for (CircuitBreaker each : registry.getAllCircuitBreakers()) {
      states.put(each.getName(), each.getState().name());
    }
    return states;
  }
}
