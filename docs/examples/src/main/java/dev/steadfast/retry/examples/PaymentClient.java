package dev.steadfast.retry.examples;

import java.net.URI;
import java.util.concurrent.CompletableFuture;

/** Sends payments in one of several ways. */
interface PaymentClient extends AutoCloseable {

  /** Sends a payment; the future fails with what the client's caller would have got. */
  CompletableFuture<Receipt> pay(Payment payment, URI address);

  @Override
  void close();
}
