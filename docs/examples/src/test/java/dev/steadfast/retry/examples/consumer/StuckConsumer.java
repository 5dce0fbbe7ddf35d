package dev.steadfast.retry.examples.consumer;

import dev.steadfast.retry.examples.Jvm;
import dev.steadfast.retry.examples.consumer.MessageQueue.Times;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A consumer that stops between the call for a message and its acknowledgement: {@code
 * StuckConsumer jdbc:postgresql:... http://.../payments 3}. It prints the number of the message
 * when it has the answer.
 */
final class StuckConsumer {
  private StuckConsumer() {}

  public static void main(String[] args) throws Exception {
    Jvm.endWithParent();
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(args[0]);
    MessageQueue queue = MessageQueue.open(database, Times.defaults());
    PaymentHandler payments = new PaymentHandler(URI.create(args[1]));
    long stuckAt = Long.parseLong(args[2]);
    Handler handler =
        message -> {
          Optional<String> outcome = payments.handle(message);
          if (message.id() == stuckAt) {
            System.out.println(message.id() + " " + outcome.orElse("unknown"));
            new CountDownLatch(1).await();
          }
          return outcome;
        };
    new Consumer(queue, handler).run();
  }
}
