package dev.steadfast.retry.examples.springboot;

import dev.steadfast.retry.examples.springboot.Payments.Payment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Orders of customers. */
@RestController
class Orders {
  private final Payments payments;
  private final Counting counting;
  private final Tracing tracing;

  Orders(Payments payments, Counting counting, Tracing tracing) {
    this.payments = payments;
    this.counting = counting;
    this.tracing = tracing;
  }

  @PostMapping("/orders/{order}")
  String order(@PathVariable("order") String order) {
    return payments.pay(new Payment(order, 1999)).order();
  }

  @GetMapping("/attempts")
  int attempts() {
    return counting.attempts();
  }

  @GetMapping("/spans")
  long spans() {
    return tracing.spans();
  }
}
