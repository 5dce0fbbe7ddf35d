package dev.steadfast.retry.torture;

import java.util.Locale;

/** The parts that can be broken on purpose, to show that the checker finds it. */
enum Break {
  /** Nothing. */
  NONE,
  /** The proxy removes the key of each payment, so the server cannot recognise a repeat. */
  NO_KEYS,
  /** The proxy gives each attempt a new key. */
  KEY_PER_ATTEMPT,
  /** The client writes the note that it is about to send only after it has sent. */
  LATE_FIRST_SENT,
  /** The journal is in memory and dies with its client. */
  NO_JOURNAL;

  static Break of(String name) {
    return name.isEmpty() ? NONE : valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
