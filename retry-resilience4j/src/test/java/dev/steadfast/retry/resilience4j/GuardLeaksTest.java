package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.core.EventProcessor;
import java.io.File;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What guards leave behind in the user's registries and threads. */
class GuardLeaksTest {
  private static final OperationInfo INFO = OperationInfo.of("db", "db");

  /** One guard per request, say, on the registry of the process. */
  @Test
  void manyGuardsOnARegistry_addOneConsumerToItsBreaker() throws Exception {
    CircuitBreakerConfig config =
        CircuitBreakerConfig.custom().waitDurationInOpenState(Duration.ofHours(1)).build();
    CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config);
    CircuitBreaker breaker = registry.circuitBreaker("db");
    for (int i = 0; i < 100; i++) {
      Resilience4jGuards.circuitBreaker(registry).acquire(INFO, 0).succeeded(1);
    }
    assertEquals(1, consumers(breaker.getEventPublisher()));
    for (int i = 0; i < 100; i++) {
      Resilience4jGuards.circuitBreaker(registry)
          .waitingForHalfOpen()
          .acquire(INFO, 0)
          .succeeded(1);
    }
    assertEquals(1, consumers(breaker.getEventPublisher()));
    breaker.transitionToOpenState();
    CircuitBreakerGuard later = Resilience4jGuards.circuitBreaker(registry).waitingForHalfOpen();
    long left = later.admitsInNanos(INFO, 0);
    assertEquals(1, Duration.ofNanos(left).plusMinutes(1).toHours(), "another guard saw it open");
  }

  @Test
  void manyGuardsOnARegistry_addOneConsumerToItsBulkhead() throws Exception {
    BulkheadRegistry registry = BulkheadRegistry.of(BulkheadConfig.ofDefaults());
    for (int i = 0; i < 100; i++) {
      Resilience4jGuards.bulkhead(registry).acquire(INFO, 0).released();
    }
    assertEquals(1, consumers(registry.bulkhead("db").getEventPublisher()));
  }

  /** resilience4j does not show its consumers. */
  private static int consumers(Object publisher) throws ReflectiveOperationException {
    int each = ((Collection<?>) field("onEventConsumers", publisher)).size();
    for (Object some : ((Map<?, ?>) field("eventConsumerMap", publisher)).values()) {
      each += ((Collection<?>) some).size();
    }
    return each;
  }

  private static Object field(String name, Object publisher) throws ReflectiveOperationException {
    Field field = EventProcessor.class.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(publisher);
  }

  /** The thread is one of a pool that outlives the application. */
  @Test
  void anUndeployedApplication_leavesNothingInTheThreadsThatUsedItsBulkhead() throws Exception {
    WeakReference<?> loader = deployed();
    long start = System.nanoTime();
    while (loader.get() != null && System.nanoTime() - start < 10_000_000_000L) {
      System.gc();
    }
    assertNull(loader.get());
  }

  private static WeakReference<?> deployed() throws Exception {
    URL[] classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(GuardLeaksTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader =
        new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass(Application.class.getName());
      assertNotSame(Application.class, type);
      ((Runnable) type.getDeclaredConstructor().newInstance()).run();
      return new WeakReference<>(loader);
    }
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Public, because it is used through its class alone. */
  public static final class Application implements Runnable {
    @Override
    public void run() {
      BulkheadRegistry registry = BulkheadRegistry.of(BulkheadConfig.ofDefaults());
      Guard guard = Resilience4jGuards.bulkhead(registry);
      guard.acquire(INFO, 0).succeeded(1);
      Bulkhead own = registry.bulkhead("db"); // used without the guard, too
      own.executeRunnable(() -> {});
    }
  }
}
