package dev.steadfast.retry.http;

import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.http.ResponseSignals.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a response that tells of a failure says about retrying. Each header is looked up once,
 * as a lookup may cost a walk over all lines.
 */
final class SignalReader {
  private static final int MOST_PUSHBACK_DIGITS = 10;
  private static final Signal QOS = new Signal("Qos-Retry-Hint", "do-not-retry", false);

  private final Map<String, List<Signal>> byHeader = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final ServerDelayParser serverDelays;

  SignalReader(ResponseSignals configured) {
    for (Signal each : configured.signals()) {
      byHeader.computeIfAbsent(each.header(), header -> new ArrayList<>()).add(each);
    }
    this.serverDelays = configured.serverDelays();
  }

  Signals read(ResponseView response, Instant now) {
    boolean unavailable = response.status() == 503;
    boolean nack = unavailable && present(response, "finagle-http-nack");
    boolean finalNack = unavailable && present(response, "finagle-http-nonretryable-nack");
    List<String> pushback = response.headers("grpc-retry-pushback-ms");
    ServerDelay pushed = pushback(pushback);
    boolean overloaded = unavailable || response.status() == 429;
    Boolean shouldRetry = shouldRetry(response);
    if (finalNack
        || (!pushback.isEmpty() && !pushed.present())
        || (overloaded && shouldRetry(List.of(QOS), response.headers(QOS.header())) != null)) {
      shouldRetry = Boolean.FALSE;
    }
    ServerDelay serverDelay = pushed.present() ? pushed : serverDelays.parse(response, now);
    return new Signals(serverDelay, shouldRetry, nack || finalNack, false);
  }

  /** The advice of the headers that the configuration names; null if they say nothing. */
  private @Nullable Boolean shouldRetry(ResponseView response) {
    Boolean shouldRetry = null;
    for (Map.Entry<String, List<Signal>> each : byHeader.entrySet()) {
      Boolean said = shouldRetry(each.getValue(), response.headers(each.getKey()));
      if (Boolean.FALSE.equals(said)) {
        return said; // it holds whatever the other headers say
      }
      shouldRetry = said == null ? shouldRetry : said;
    }
    return shouldRetry;
  }

  private static @Nullable Boolean shouldRetry(List<Signal> signals, List<String> lines) {
    Boolean shouldRetry = null;
    for (String line : lines) {
      for (Signal each : signals) {
        if (each.saidBy(line)) {
          if (!each.shouldRetry()) {
            return Boolean.FALSE;
          }
          shouldRetry = Boolean.TRUE;
        }
      }
    }
    return shouldRetry;
  }

  private static boolean present(ResponseView response, String header) {
    return !response.headers(header).isEmpty();
  }

  /** gRFC A6: a signed 32-bit number; negative or anything else means not to retry. */
  private static ServerDelay pushback(List<String> values) {
    long most = -1;
    for (String value : values) {
      long millis = millis(ServerDelayParser.trim(value));
      if (millis < 0) {
        return ServerDelay.none(); // one line of several is enough
      }
      most = Math.max(most, millis);
    }
    return most < 0 ? ServerDelay.none() : ServerDelay.exactly(Duration.ofMillis(most));
  }

  private static long millis(String value) {
    long millis = value.length() > MOST_PUSHBACK_DIGITS ? -1 : Digits.parse(value);
    return millis > Integer.MAX_VALUE ? -1 : millis;
  }
}
