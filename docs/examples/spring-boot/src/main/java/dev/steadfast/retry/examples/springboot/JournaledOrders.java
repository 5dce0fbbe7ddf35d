package dev.steadfast.retry.examples.springboot;

import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.spring.boot.SteadfastClients;
import dev.steadfast.retry.spring.boot.SteadfastJournal;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * Stores an order, and has its payment sent after the commit. For the guide: no bean of the run.
 */
class JournaledOrders {
  private final JdbcTemplate orders;
  private final SteadfastClients clients;
  private final SteadfastJournal journal;

  JournaledOrders(JdbcTemplate orders, SteadfastClients clients, SteadfastJournal journal) {
    this.orders = orders;
    this.clients = clients;
    this.journal = journal;
  }

  // region boot-journal
  @Transactional
  public void order(String number, HttpRequest payment) {
    orders.update("insert into orders (number) values (?)", number);
    RetryOptions charge = RetryOptions.builder().journaled("charge", number).build();
    journal.enlist(clients.get("payments").httpClient().with(charge).intent(payment));
  }

  // endregion

  static HttpRequest payment(URI uri, String body) {
    return HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build();
  }
}
