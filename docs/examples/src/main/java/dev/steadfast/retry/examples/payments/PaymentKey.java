package dev.steadfast.retry.examples.payments;

/** A key and whose it is: two customers may choose the same key. */
record PaymentKey(String principal, String value) {
  PaymentKey {
    if (!value.matches("[\\x21-\\x7e]{1,255}")) {
      throw Answer.refusal(400, "Idempotency-Key: 1 to 255 printable ASCII characters expected");
    }
  }
}
