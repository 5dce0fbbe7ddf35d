package dev.steadfast.retry.http;

import dev.steadfast.retry.ServerDelay;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads what a response that tells of a failure says about retrying. Each header is looked up once,
 * as a lookup may cost a walk over all lines.
 */
final class SignalReader {
  /** A header that says go or stop by one of its values. */
  record Signal(String header, String value) {
    boolean in(ResponseView response) {
      for (String each : response.headers(header)) {
        if (said(each)) {
          return true;
        }
      }
      return false;
    }

    private boolean said(String line) {
      return line.trim().equalsIgnoreCase(value);
    }
  }

  static final List<Signal> STOPS =
      List.of(new Signal("x-should-retry", "false"), new Signal("Stripe-Should-Retry", "false"));
  static final List<Signal> GOES =
      List.of(new Signal("x-should-retry", "true"), new Signal("Stripe-Should-Retry", "true"));

  private static final int MOST_PUSHBACK_DIGITS = 10;
  private static final Signal QOS_STOP = new Signal("Qos-Retry-Hint", "do-not-retry");

  /** All signals of one header. */
  private record Words(List<Signal> stops, List<Signal> goes) {
    Words() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  private enum Said {
    NOTHING,
    GO,
    STOP
  }

  private final Map<String, Words> words = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final ServerDelayParser serverDelays;

  SignalReader(List<Signal> stops, List<Signal> goes, ServerDelayParser serverDelays) {
    stops.forEach(each -> words(each).stops().add(each));
    goes.forEach(each -> words(each).goes().add(each));
    this.serverDelays = serverDelays;
  }

  private Words words(Signal signal) {
    return words.computeIfAbsent(signal.header(), header -> new Words());
  }

  Signals read(ResponseView response, Instant now) {
    boolean unavailable = response.status() == 503;
    boolean nack = unavailable && present(response, "finagle-http-nack");
    boolean finalNack = unavailable && present(response, "finagle-http-nonretryable-nack");
    List<String> pushback = response.headers("grpc-retry-pushback-ms");
    ServerDelay pushed = pushback(pushback);
    Said said = said(response);
    boolean stop =
        finalNack
            || (!pushback.isEmpty() && !pushed.present())
            || said == Said.STOP
            || ((unavailable || response.status() == 429) && QOS_STOP.in(response));
    boolean go = !stop && said == Said.GO;
    ServerDelay serverDelay = pushed.present() ? pushed : serverDelays.parse(response, now);
    return new Signals(serverDelay, stop, go, nack || finalNack);
  }

  private Said said(ResponseView response) {
    Said said = Said.NOTHING;
    for (Map.Entry<String, Words> each : words.entrySet()) {
      Words ofHeader = each.getValue();
      for (String line : response.headers(each.getKey())) {
        if (any(ofHeader.stops(), line)) {
          return Said.STOP;
        }
        if (said == Said.NOTHING && any(ofHeader.goes(), line)) {
          said = Said.GO;
        }
      }
    }
    return said;
  }

  private static boolean any(List<Signal> signals, String line) {
    for (Signal each : signals) {
      if (each.said(line)) {
        return true;
      }
    }
    return false;
  }

  private static boolean present(ResponseView response, String header) {
    return !response.headers(header).isEmpty();
  }

  /** gRFC A6: a signed 32-bit number; negative or anything else means stop. */
  private static ServerDelay pushback(List<String> values) {
    long most = -1;
    for (String value : values) {
      long millis = millis(ServerDelayParser.trim(value));
      if (millis < 0) {
        return ServerDelay.none(); // one line of several too: any stop beats any go
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
