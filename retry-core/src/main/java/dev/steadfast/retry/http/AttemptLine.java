package dev.steadfast.retry.http;

import dev.steadfast.retry.engine.RetryPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The attempt header of one operation, and what its answers tell of the server's clock. Written by
 * the thread that judges an attempt, and read by the one that starts the next.
 */
final class AttemptLine {
  // A Date has whole seconds, and so is the end of an attempt written. Both are rounded up: a
  // server that drops a request when its time is over must not do so while the client waits.
  private static final Duration UNIT = Duration.ofSeconds(1);
  private static final Duration ALMOST_A_UNIT = UNIT.minusNanos(1);

  private final AttemptHeader header;
  private final RetryPlan plan;
  private final String origin;
  private volatile @Nullable Duration serverAhead; // of the client's clock; null: not known

  private AttemptLine(AttemptHeader header, RetryPlan plan, String origin) {
    this.header = header;
    this.plan = plan;
    this.origin = origin;
  }

  /** The configured header, unless the caller or another option has set one of that name. */
  static @Nullable AttemptLine of(
      @Nullable AttemptHeader configured,
      RetryPlan plan,
      RequestView request,
      Map<String, String> others) {
    AttemptHeader header = AttemptHeader.unlessSet(configured, request, others);
    return header == null ? null : new AttemptLine(header, plan, request.origin());
  }

  String name() {
    return header.name();
  }

  boolean tellsTimeToLive() {
    return header.tellsTimeToLive();
  }

  /** The server's clock, unless a cache kept the answer or another server gave it. */
  void learn(ResponseView answer) {
    if (!tellsTimeToLive() || !answer.origin().orElse(origin).equals(origin)) {
      return;
    }
    List<String> dates = answer.headers("Date");
    if (dates.size() == 1 && answer.headers("Age").isEmpty()) {
      Instant now = now();
      HttpDates.parse(ServerDelayParser.trim(dates.get(0)), now)
          .ifPresent(date -> serverAhead = Duration.between(now, date).plus(UNIT));
    }
  }

  void write(int attempt, long timeoutNanos, BiConsumer<String, String> to) {
    int maxAttempts = plan.policy().maxAttempts();
    Duration ahead = serverAhead;
    Optional<String> value =
        ahead == null || timeoutNanos == Long.MAX_VALUE
            ? header.value(attempt, maxAttempts)
            : header.value(attempt, maxAttempts, end(ahead, timeoutNanos));
    value.ifPresent(written -> to.accept(name(), written));
  }

  private Instant end(Duration ahead, long timeoutNanos) {
    return now().plus(ahead).plusNanos(timeoutNanos).plus(ALMOST_A_UNIT);
  }

  private Instant now() {
    return plan.environment().clock().get();
  }
}
