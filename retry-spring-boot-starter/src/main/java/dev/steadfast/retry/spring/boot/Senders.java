package dev.steadfast.retry.spring.boot;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.util.ReflectionUtils;

/**
 * The senders (request factories and connectors) of Spring's builders. Steadfast may replace those
 * that Boot has made of its settings, and its own. Any other was set on purpose, such as the mock
 * server of a test, and stays. Thread-safe.
 *
 * <p>A builder does not show its sender, so that is read from a field. If a version of Spring has
 * another field, each builder counts as one whose sender was set on purpose, and a warning says so.
 */
final class Senders {
  /** The sender of a {@code RestClient.Builder}. */
  static final String REQUEST_FACTORY = "requestFactory";

  /** The sender of a {@code WebClient.Builder}. */
  static final String CONNECTOR = "connector";

  private static final int MOST_BUILDERS = 100;

  // The request factories and connectors that talk to servers. Mocks are elsewhere.
  private static final String REAL = "org.springframework.http.client";

  private final ConfigurableListableBeanFactory beans;

  // Kept until the check at the end of the start, as their senders may still change.
  private final Set<Object> madeBefore =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private volatile boolean checked;
  private final Set<Object> replaceable =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  Senders(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Whether a sender is one of Spring's, which talk to servers. */
  static boolean isReal(Object sender) {
    return sender.getClass().getPackageName().startsWith(REAL);
  }

  /** Called for a builder that Boot has just given a sender. */
  void madeByBoot(Object builder, String kind) {
    Object sender = of(builder, kind);
    if (sender != null && isReal(sender) && !isOfTheApplication(sender, kind)) {
      replaceable.add(sender);
      if (!checked && madeBefore.size() < MOST_BUILDERS && OwnRetries.beneath(sender)) {
        madeBefore.add(builder);
      }
    }
  }

  // Boot also gives a builder the connector that the application has made a bean.
  private boolean isOfTheApplication(Object sender, String kind) {
    return Stream.of(beans.getBeanNamesForType(sender.getClass(), false, false))
            .filter(name -> sender.equals(beans.getSingleton(name)))
            .anyMatch(name -> !OwnBeans.isOfBoot(beans, name))
        || isOfABuilderOfTheApplication(kind);
  }

  // A client of Steadfast has the settings of a bean that is Boot's own builder for its library.
  private boolean isOfABuilderOfTheApplication(String kind) {
    if (kind.equals(CONNECTOR)) {
      return OwnBeans.find(beans, ClientHttpConnectorBuilder.class) != null;
    }
    NamedBeanHolder<?> own = OwnBeans.find(beans, ClientHttpRequestFactoryBuilder.class);
    return own != null && !OwnBeans.isBuilderOfBoot(own.getBeanInstance());
  }

  /** How many builders, of those made so far, still have a sender of Boot's that retries itself. */
  long leftToOthers() {
    checked = true;
    long left;
    synchronized (madeBefore) {
      left =
          madeBefore.stream()
              .map(builder -> of(builder, REQUEST_FACTORY))
              .filter(sender -> sender != null && OwnRetries.beneath(sender))
              .count();
      madeBefore.clear();
    }
    return left;
  }

  /** Notes a sender of Steadfast's own, which may be replaced by that of another client. */
  <S> S own(S sender) {
    replaceable.add(sender);
    return sender;
  }

  /** The sender that a builder has to keep, null for none. */
  @Nullable Object toKeep(Object builder, String kind) {
    Object sender = of(builder, kind);
    return sender == null || replaceable.contains(sender) ? null : sender;
  }

  // A builder without the field counts as its own sender.
  private static @Nullable Object of(Object builder, String kind) {
    Field field = ReflectionUtils.findField(builder.getClass(), kind);
    if (field == null) {
      return builder;
    }
    ReflectionUtils.makeAccessible(field);
    return ReflectionUtils.getField(field, builder);
  }

  /** Registers what native images need. */
  static final class Hints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
      for (String builder :
          new String[] {
            "org.apache.hc.client5.http.impl.classic.ExecChainElement",
            "org.apache.hc.client5.http.impl.classic.InternalHttpClient",
            "org.springframework.web.client.DefaultRestClientBuilder",
            "org.springframework.web.reactive.function.client.DefaultWebClientBuilder"
          }) {
        hints
            .reflection()
            .registerTypeIfPresent(loader, builder, MemberCategory.ACCESS_DECLARED_FIELDS);
      }
    }
  }
}
