package dev.steadfast.retry.examples;

/**
 * A payment to make.
 *
 * @param number 1 to the number of payments
 * @param cents how much
 * @param fault what goes wrong with it
 */
record Payment(int number, int cents, Fault fault) {

  /** What goes over the wire. */
  String form() {
    return "payment=" + number + "&cents=" + cents;
  }

  /** What logs and timelines call it. */
  String title() {
    return "payment " + number;
  }
}
