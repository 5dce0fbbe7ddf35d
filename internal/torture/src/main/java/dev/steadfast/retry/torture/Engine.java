package dev.steadfast.retry.torture;

import java.util.Locale;

/** What has operations sent that are due. */
enum Engine {
  /** The journal's own {@code resume}, in a loop. */
  JOURNAL,
  /** Schedulers of db-scheduler, one in each client. */
  DB_SCHEDULER;

  static Engine of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
