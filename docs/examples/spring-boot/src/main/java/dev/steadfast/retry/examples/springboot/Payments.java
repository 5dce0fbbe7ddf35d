package dev.steadfast.retry.examples.springboot;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

// region boot-interface
@HttpExchange("/payments")
interface Payments {
  record Payment(String order, long cents) {}

  record Receipt(String order) {}

  @PostExchange
  Receipt pay(@RequestBody Payment payment);
}
// endregion
