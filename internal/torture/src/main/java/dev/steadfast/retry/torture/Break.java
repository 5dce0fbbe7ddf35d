package dev.steadfast.retry.torture;

import java.util.Locale;

/** What can be broken on purpose, to show that the checker sees it. */
enum Break {
  /** Nothing. */
  NONE,
  /** The proxy takes the key out of each payment: the server cannot tell a repeat. */
  NO_KEYS,
  /** The proxy gives each payment that comes along a key of its own. */
  KEY_PER_ATTEMPT,
  /** The client notes that it sends only after it has sent. */
  LATE_FIRST_SENT,
  /** The client's journal is in memory, and dies with it. */
  NO_JOURNAL;

  static Break of(String name) {
    return name.isEmpty() ? NONE : valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
