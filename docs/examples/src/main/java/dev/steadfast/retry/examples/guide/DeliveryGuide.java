package dev.steadfast.retry.examples.guide;

import com.github.kagkarlsson.scheduler.Scheduler;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.dbscheduler.JournalDelivery;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Snippets of the page on delivery in the background. */
final class DeliveryGuide {
  private DeliveryGuide() {}

  static JournalDelivery start(
      DataSource dataSource, JdbcJournal journal, RetryingHttpClient client) {
    JournalDelivery delivery = JournalDelivery.over(journal, client.sender());
    Scheduler scheduler =
        Scheduler.create(dataSource)
            .startTasks(delivery.task())
            .pollUsingLockAndFetch(0.5, 3.0)
            .pollingInterval(Duration.ofSeconds(1))
            .heartbeatInterval(Duration.ofSeconds(10))
            .registerShutdownHook()
            .build();
    scheduler.start();
    return delivery;
  }

  static void enlist(
      JournalDelivery delivery,
      Connection connection,
      RetryingHttpClient client,
      HttpRequest request)
      throws IOException, SQLException {
    String orderId = "4711";
    RetryOptions charge = RetryOptions.builder().journaled("charge", orderId).build();
    delivery.enlist(connection, client.with(charge).intent(request));
    delivery.enlist(connection, client.with(charge).intent(request), "account-17");
  }
}
