package dev.steadfast.retry.torture;

import dev.steadfast.retry.torture.ToldLog.Event;
import dev.steadfast.retry.torture.ToldLog.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks for claims that noted an outcome after another claim had been granted. */
final class Claims {
  private Claims() {}

  /** A claim was granted between these times. */
  private record Granted(long asked, long known) {
    private static Granted of(Event event) {
      String[] times = event.note().split(ToldLog.TO, -1);
      return new Granted(Long.parseLong(times[0]), Long.parseLong(times[1]));
    }
  }

  /** The fault in the claims of an operation, null if there is none. */
  static String wrong(List<Event> events) {
    Map<String, Granted> granted = new HashMap<>();
    for (Event event : events) {
      if (event.kind() == Kind.CLAIMED) {
        granted.put(event.word(), Granted.of(event));
      }
    }
    for (Event event : events) {
      if (event.kind() == Kind.NOTED && isLate(event, granted)) {
        return "was noted by a claim that was lost";
      }
    }
    return null;
  }

  /** Whether another claim was surely granted after this one, and before it noted its end. */
  private static boolean isLate(Event noted, Map<String, Granted> granted) {
    long began = Long.parseLong(noted.note());
    Granted own = granted.get(noted.word());
    return own != null
        && granted.values().stream()
            .anyMatch(other -> other.asked > own.known && other.known < began);
  }
}
