package dev.steadfast.retry.http;

import dev.steadfast.retry.Hint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/** Reads what a response that tells of a failure says about retrying. */
final class SignalReader {
  /** A header that says go or stop by one of its values. */
  record Signal(String header, String value) {
    boolean in(ResponseView response) {
      for (String each : response.headers(header)) {
        if (each.trim().equalsIgnoreCase(value)) {
          return true;
        }
      }
      return false;
    }
  }

  static final List<Signal> STOPS =
      List.of(new Signal("x-should-retry", "false"), new Signal("Stripe-Should-Retry", "false"));
  static final List<Signal> GOES =
      List.of(new Signal("x-should-retry", "true"), new Signal("Stripe-Should-Retry", "true"));

  private static final Pattern PUSHBACK = Pattern.compile("[0-9]{1,10}");
  private static final Signal QOS_STOP = new Signal("Qos-Retry-Hint", "do-not-retry");

  private final List<Signal> stops;
  private final List<Signal> goes;
  private final HintParser hints;

  SignalReader(List<Signal> stops, List<Signal> goes, HintParser hints) {
    this.stops = List.copyOf(stops);
    this.goes = List.copyOf(goes);
    this.hints = hints;
  }

  Signals read(ResponseView response, Instant now) {
    boolean unavailable = response.status() == 503;
    boolean nack = unavailable && present(response, "finagle-http-nack");
    boolean finalNack = unavailable && present(response, "finagle-http-nonretryable-nack");
    List<String> pushback = response.headers("grpc-retry-pushback-ms");
    Hint pushed = pushback(pushback);
    boolean stop =
        finalNack
            || (!pushback.isEmpty() && !pushed.present())
            || any(stops, response)
            || ((unavailable || response.status() == 429) && QOS_STOP.in(response));
    boolean go = !stop && any(goes, response);
    Hint hint = pushed.present() ? pushed : hints.parse(response, now);
    return new Signals(hint, stop, go, nack || finalNack);
  }

  private static boolean any(List<Signal> signals, ResponseView response) {
    for (Signal each : signals) {
      if (each.in(response)) {
        return true;
      }
    }
    return false;
  }

  private static boolean present(ResponseView response, String header) {
    return !response.headers(header).isEmpty();
  }

  /** gRFC A6: a signed 32-bit number; negative or anything else means stop. */
  private static Hint pushback(List<String> values) {
    long most = -1;
    for (String value : values) {
      long millis = millis(HintParser.trim(value));
      if (millis < 0) {
        return Hint.none(); // one line of several too: any stop beats any go
      }
      most = Math.max(most, millis);
    }
    return most < 0 ? Hint.none() : Hint.exactly(Duration.ofMillis(most));
  }

  // Integer.parseInt takes a plus sign and the digits of every script.
  private static long millis(String value) {
    if (!PUSHBACK.matcher(value).matches()) {
      return -1;
    }
    long millis = Long.parseLong(value);
    return millis > Integer.MAX_VALUE ? -1 : millis;
  }
}
