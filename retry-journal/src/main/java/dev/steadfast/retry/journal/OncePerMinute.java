package dev.steadfast.retry.journal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Decides which lines are logged: one in a minute for each topic, with a count of the others. Safe
 * for use by many threads.
 */
final class OncePerMinute {
  private static final int MOST_TOPICS = 1_000;
  private static final long MINUTE = 60_000_000_000L;

  private final LongSupplier ticker;
  private final Map<String, Topic> topics =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Topic> eldest) {
          return size() > MOST_TOPICS;
        }
      };

  /**
   * A log in which nothing was told.
   *
   * @param ticker the time in ns
   */
  OncePerMinute(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** The known facts of a topic; guarded by the log. */
  private static final class Topic {
    private int untold;
    private long tellsAt;

    private Topic(long now) {
      tellsAt = now;
    }
  }

  /**
   * Counts what has happened.
   *
   * @param name the topic, such as an origin
   * @param times how often it has happened
   * @return how often it has happened since it was told, if it is told now; otherwise 0
   */
  synchronized int happened(String name, int times) {
    long now = ticker.getAsLong();
    Topic topic = topics.computeIfAbsent(name, unknown -> new Topic(now));
    topic.untold += times;
    if (now - topic.tellsAt < 0) {
      return 0;
    }
    int told = topic.untold;
    topic.untold = 0;
    topic.tellsAt = now + MINUTE;
    return told;
  }
}
