package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.Deliveries;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.StorageCodec;
import dev.steadfast.retry.operations.OperationJournal;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** The beans of the journal. */
@AutoConfiguration(
    after = SteadfastAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({JdbcJournal.class, DataSourceUtils.class})
@ConditionalOnBooleanProperty("steadfast.journal.enabled")
@SuppressWarnings("exports") // Boot alone reads the annotations
public final class SteadfastJournalAutoConfiguration {
  SteadfastJournalAutoConfiguration() {}

  @Bean
  TransactionEnds steadfastTransactionEnds() {
    return new TransactionEnds();
  }

  @Bean
  @ConditionalOnMissingBean
  SteadfastJournal steadfastJournal(
      SteadfastProperties properties, TransactionEnds ends, BeanFactory beans) throws IOException {
    DataSource source = source(beans, properties.journal().dataSource());
    JdbcJournal.Builder journal = JdbcJournal.builder(SteadfastJournal.withoutProxy(source));
    beans.getBeanProvider(OperationJournal.Settings.class).ifAvailable(journal::settings);
    beans.getBeanProvider(Deliveries.class).ifAvailable(journal::deliveries);
    beans.getBeanProvider(StorageCodec.class).ifAvailable(journal::codec);
    properties.journal().nameTables(journal::schema, journal::tablePrefix);
    if (properties.journal().createTables()) {
      journal.createTables();
    }
    return new SteadfastJournal(journal.build(), source, ends);
  }

  private static DataSource source(BeanFactory beans, @Nullable String name) {
    if (name == null) {
      return beans.getBean(DataSource.class);
    }
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, DataSource.class)) {
      throw JournalProperties.wrong(
          "data-source", name, "expected: the name of a bean of type DataSource");
    }
    return beans.getBean(name, DataSource.class);
  }

  @Bean
  HttpRetryCustomizer steadfastJournalOfClients(SteadfastJournal journal) {
    return (client, retry) -> retry.journal(journal.ofClients());
  }

  @Bean
  JournalJobs steadfastJournalJobs(
      SteadfastJournal journal,
      SteadfastProperties properties,
      SteadfastClients clients,
      ObjectProvider<Journaling.Sender> senders,
      ObjectProvider<SenderCounting> counting) {
    Journaling.Sender sender = null;
    if (properties.journal().resume().enabled()) {
      Journaling.Sender of =
          senders.getIfAvailable(() -> sender(clients, properties.journal().resume().client()));
      SenderCounting counts = counting.getIfAvailable();
      sender = counts == null ? of : counts.counting(of);
    }
    return new JournalJobs(journal.journal(), properties.journal(), sender, JournalJobs.PATIENCE);
  }

  /** Counts the deliveries of a sender. */
  interface SenderCounting {
    Journaling.Sender counting(Journaling.Sender sender);
  }

  // Another client could send with the credentials of another account.
  private static Journaling.Sender sender(SteadfastClients clients, @Nullable String name) {
    Set<String> names = clients.names();
    String one = name == null && names.size() == 1 ? names.iterator().next() : name;
    if (one == null || !names.contains(one)) {
      throw JournalProperties.wrong(
          "resume.client",
          String.valueOf(name),
          "expected: the client that sends what is due, one of "
              + names
              + "; or a bean of type Journaling.Sender; or steadfast.journal.resume.enabled=false");
    }
    return clients.get(one).sender();
  }

  /** Health. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static class Indicator {
    @Bean
    @ConditionalOnEnabledHealthIndicator("steadfast-journal")
    JournalHealth steadfastJournalHealthIndicator(SteadfastJournal journal) {
      return new JournalHealth(journal.journal().oversight());
    }
  }

  /** Meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnBean(MeterRegistry.class)
  @ConditionalOnBooleanProperty(name = "steadfast.metrics.enabled", matchIfMissing = true)
  static class Meters {
    @Bean
    SenderCounting steadfastJournalMeters(SteadfastJournal journal, MeterRegistry registry) {
      return new JournalMeters(journal.journal().oversight(), registry, System::nanoTime)::counting;
    }
  }
}
