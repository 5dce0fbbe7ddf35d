package dev.steadfast.retry.examples.consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.consumer.MessageQueue.Times;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Handles messages one after another. Any number of them share the work. */
final class Consumer {
  private static final long PAUSE_MILLIS = 100;

  private final MessageQueue queue;
  private final Handler handler;

  Consumer(MessageQueue queue, Handler handler) {
    this.queue = queue;
    this.handler = handler;
  }

  /** Handles a message, if one is to be delivered. */
  boolean handleNext() throws SQLException, InterruptedException {
    Optional<Message> message = queue.receive();
    if (message.isPresent()) {
      try {
        Optional<String> outcome = handler.handle(message.get());
        if (outcome.isPresent()) {
          queue.acknowledge(message.get(), outcome.get());
        }
      } catch (IOException unknown) {
        // not acknowledged, so it comes again
      }
    }
    return message.isPresent();
  }

  /** Handles messages until it is interrupted, or the database fails. */
  void run() throws SQLException, InterruptedException {
    while (true) {
      if (!handleNext()) {
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  /**
   * Consumes until the process that has started this one ends: {@code Consumer jdbc:postgresql:...
   * http://.../payments PT60S}. The last one says for how long a delivery hides its message.
   */
  public static void main(String[] args) throws Exception {
    Jvm.endWithParent();
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(args[0]);
    pool.setMaximumPoolSize(2);
    Times times = new Times(Duration.parse(args[2]), Times.defaults().window());
    MessageQueue queue = MessageQueue.open(new HikariDataSource(pool), times);
    new Consumer(queue, new PaymentHandler(URI.create(args[1]))).run();
  }
}
