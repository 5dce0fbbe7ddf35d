package dev.steadfast.retry.tck;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.RetryReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The result of a run, as lines for a golden file. Generated keys are named {@code k1}, {@code k2}
 * in the order of their first use; ports and times have fixed words.
 */
final class GoldenText {
  private static final Set<String> OF_THE_CLIENT =
      Set.of("host", "connection", "user-agent", "accept-encoding", "content-length");
  private static final Pattern KEY =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}");
  private static final List<Unsteady> UNSTEADY =
      List.of(
          new Unsteady("127\\.0\\.0\\.1:\\d+", "server", "the system chooses the port"),
          new Unsteady(" in [\\d.]+(ns|us|ms|s)\\b", "", "interceptors wait in real time"),
          new Unsteady("Read timed out", "timeout", "OkHttp's watchdog races with the socket"),
          new Unsteady(
              "(CancellationException) \\| get$", "$1 | null", "newer JDKs name their method"),
          new Unsteady("[^ -~]", "?", "a body may be binary"));
  private static final int LONG = 100;

  /** The words that differ for the same behaviour, and why the words differ. */
  private record Unsteady(Pattern words, String instead, String reason) {
    Unsteady(String words, String instead, String reason) {
      this(Pattern.compile(words), instead, reason);
    }
  }

  private final Observed observed;
  private final List<String> lines = new ArrayList<>();

  private GoldenText(Observed observed) {
    this.observed = observed;
  }

  static List<String> of(Observed observed) {
    GoldenText text = new GoldenText(observed);
    text.requests();
    text.caller();
    text.report();
    text.line("events", observed.recorder().trace());
    text.line("budget", observed.budget().events());
    text.line("permits", String.join(", ", observed.guard().answers()));
    return text.steady();
  }

  private void line(String label, String text) {
    lines.add(label + ": " + (text.isEmpty() ? "none" : text.replace("\n", "\\n")));
  }

  private void requests() {
    int number = 0;
    for (Received each : observed.requests()) {
      String headers =
          each.headers().stream()
              .map(header -> header.getKey().toLowerCase(Locale.ROOT) + ": " + header.getValue())
              .filter(header -> !OF_THE_CLIENT.contains(header.split(":", 2)[0]))
              .sorted()
              .map(header -> " | " + header)
              .collect(Collectors.joining());
      line(
          "request " + ++number,
          each.method() + " " + each.target() + headers + " | body " + brief(each.bodyText()));
    }
    if (number == 0) {
      line("requests", "");
    }
  }

  private static String brief(String text) {
    return text.length() > LONG ? text.length() + " characters" : text.isEmpty() ? "-" : text;
  }

  private void caller() {
    if (observed.outcome() instanceof ScenarioOutcome.Answer answer) {
      line("caller", answer.status() + " | body " + brief(answer.body()));
    } else {
      line("caller", named(((ScenarioOutcome.Failure) observed.outcome()).thrown()));
    }
  }

  private static String named(Throwable thrown) {
    return thrown.getClass().getName() + " | " + thrown.getMessage();
  }

  private void report() {
    RetryReport told = observed.recorder().report();
    Optional<RetryReport> rides = observed.report();
    line("report of the caller", rides.map(this::words).orElse(""));
    if (told == null || rides.isEmpty() || !words(rides.get()).equals(words(told))) {
      line("report of the listener", told == null ? "" : words(told));
    }
    RetryReport report = rides.orElse(told);
    if (report != null) {
      report.attemptReports().forEach(this::attempt);
    }
  }

  private String words(RetryReport report) {
    List<String> words = new ArrayList<>();
    words.add(report.toString());
    words.add(report.reason().name());
    if (observed.outcome() instanceof ScenarioOutcome.Answer answer) {
      words.add("effect " + report.effect(answer.status()));
    }
    words.add(report.serverMayHaveActed() ? "server may have acted" : "server has not acted");
    words.add(report.outcomeUnknown() ? "outcome unknown" : "");
    words.add(report.earlierAttemptMayHaveActed() ? "earlier attempt may have acted" : "");
    words.add(report.replayed() ? "replayed" : "");
    words.add("waited " + Recorder.print(report.waited()));
    words.add(
        report.serverDelay().map(delay -> "server delay " + Recorder.print(delay)).orElse(""));
    words.add(report.saved().map(saved -> "saved " + observed.saved()).orElse(""));
    words.add(report.idempotencyKey().map(key -> "key " + key).orElse("no key"));
    words.removeIf(String::isEmpty);
    return String.join(" | ", words);
  }

  private void attempt(AttemptReport attempt) {
    List<String> words = new ArrayList<>();
    attempt.status().ifPresent(status -> words.add("status " + status));
    attempt.kind().ifPresent(kind -> words.add(kind.name()));
    words.add(attempt.disposition().name());
    words.add(
        "deliveries "
            + (attempt.deliveries().isPresent() ? attempt.deliveries().getAsInt() : "unknown"));
    attempt.failure().ifPresent(failure -> words.add(named(failure)));
    attempt.endedBy().ifPresent(limit -> words.add("ended by the " + limit));
    words.add("after a wait of " + Recorder.print(attempt.waitedBefore()));
    line("attempt " + attempt.number(), String.join(" | ", words));
  }

  private List<String> steady() {
    Map<String, String> keys = new HashMap<>();
    return lines.stream().map(line -> steady(line, keys)).toList();
  }

  private static String steady(String line, Map<String, String> keys) {
    String text =
        KEY.matcher(line)
            .replaceAll(
                key -> keys.computeIfAbsent(key.group(), unused -> "k" + (keys.size() + 1)));
    for (Unsteady each : UNSTEADY) {
      text = each.words().matcher(text).replaceAll(each.instead());
    }
    return text;
  }
}
