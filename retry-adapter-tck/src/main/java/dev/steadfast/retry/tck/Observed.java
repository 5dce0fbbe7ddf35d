package dev.steadfast.retry.tck;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The result of a run, in the same words as {@link Expected}. */
final class Observed {
  private static final String UUID =
      "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

  private static final String HASH = "[0-9a-f]{64}";

  private final ScriptedServer server;
  private final Scenario scenario;
  private final EntryPoint entry;
  private final List<Reply> script;
  private final int requestsBefore;
  private final int connectionsBefore;

  // Set when the call is over, and read only then.
  private ScenarioOutcome outcome;
  private Recorder recorder;
  private Client client;
  private CountingBudget budget;
  private CountingGuard guard;
  private String upward;

  /** Begins to observe. Earlier requests and connections do not count. */
  @SuppressWarnings("NullAway.Init")
  Observed(ScriptedServer server, List<Reply> script, Scenario scenario, EntryPoint entry) {
    this.server = server;
    this.script = script;
    this.scenario = scenario;
    this.entry = entry;
    this.requestsBefore = server.requests().size();
    this.connectionsBefore = server.connectionsAccepted();
  }

  void outcome(ScenarioOutcome outcome, Recorder recorder, Client client) {
    this.outcome = outcome;
    this.recorder = recorder;
    this.client = client;
  }

  void accounts(CountingBudget budget, CountingGuard guard) {
    this.budget = budget;
    this.guard = guard;
  }

  void upward(String upward) {
    this.upward = upward;
  }

  void compare(Findings findings) {
    Objects.requireNonNull(scenario.expected(entry.traits()), "a row for this entry point")
        .aspects()
        .forEach((aspect, text) -> findings.expect(aspect, text, text(aspect)));
    if (outcome instanceof ScenarioOutcome.Failure failure) {
      findings.because(failure.thrown());
    }
  }

  private String text(String aspect) {
    return switch (aspect) {
      case Expected.OUTCOME -> outcomeText();
      case Expected.REQUESTS -> Integer.toString(requests().size());
      case Expected.LINES -> lines();
      case Expected.TRACE -> recorder.trace();
      case Expected.KEY -> key();
      case Expected.BUDGET -> budget.events();
      case Expected.PERMITS -> String.join(", ", guard.answers());
      case Expected.UPWARD -> upward;
      case Expected.SAVED -> saved();
      case Expected.EFFECT -> effect();
      case Expected.CONNECTIONS -> Integer.toString(connections());
      default -> sent(aspect.substring(Expected.HEADER.length()));
    };
  }

  private String outcomeText() {
    if (outcome instanceof ScenarioOutcome.Failure failure
        && failure.thrown() instanceof AttemptRefusedException refused
        && refused.status().isPresent()) {
      String serverDelay =
          refused.serverDelay().map(delay -> " server delay " + Recorder.print(delay)).orElse("");
      return outcome + " after " + refused.status().getAsInt() + serverDelay;
    }
    return outcome instanceof ScenarioOutcome.Failure failure
            && failure.thrown() instanceof RefusedException refused
        ? outcome + " " + refused.refusal()
        : outcome.toString();
  }

  private String effect() {
    return outcome instanceof ScenarioOutcome.Answer answer
        ? words(answer.report().effect(answer.status()))
        : "no answer";
  }

  private static String words(RetryReport.Effect effect) {
    return effect.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  String saved() {
    RetryReport.Saved saved = report().flatMap(RetryReport::saved).orElse(null);
    if (saved == null) {
      return "nothing";
    }
    return words(saved.effect())
        + (saved.recorded() ? "" : ", not recorded")
        + (saved.handedBack() ? ", handed back" : "")
        + (saved.resumableUntil().isPresent() ? ", resumable" : "");
  }

  /** The report on the outcome. */
  Optional<RetryReport> report() {
    return outcome instanceof ScenarioOutcome.Failure failure
        ? RetryReport.of(failure.thrown())
        : Optional.of(((ScenarioOutcome.Answer) outcome).report());
  }

  private String lines() {
    return requests().stream()
        .map(request -> request.method() + " " + request.target())
        .collect(Collectors.joining(", "));
  }

  private String key() {
    List<String> values = values(scenario.setup().keyHeader, this::hasOwnHeaders);
    if (values.stream().distinct().count() > 1) {
      return "different: " + values;
    }
    String value = values.isEmpty() ? "-" : values.get(0);
    if (value.equals("-")) {
      return "none";
    }
    return value.matches(HASH) ? "hash" : value.matches(UUID) ? "minted" : value;
  }

  private String sent(String name) {
    return String.join(", ", values(name));
  }

  private boolean hasOwnHeaders(Received request) {
    boolean redirected =
        scenario.setup().follows == Follows.REDIRECTS
            && request.method().equals("GET")
            && !scenario.setup().call.method().equals("GET");
    return !redirected || !entry.traits().contains(Trait.DROPS_HEADERS_ON_GET);
  }

  /** Request by request, {@code -} where the header is missing. */
  List<String> values(String name) {
    return values(name, request -> true);
  }

  private List<String> values(String name, Predicate<Received> which) {
    return requests().stream()
        .filter(which)
        .map(request -> String.join("+", request.headerValues(name)))
        .map(value -> value.isEmpty() ? "-" : value)
        .collect(Collectors.toList());
  }

  // ---- for the laws

  List<Received> requests() {
    List<Received> all = server.requests();
    return all.subList(requestsBefore, all.size());
  }

  int connections() {
    return server.connectionsAccepted() - connectionsBefore;
  }

  /** The replies that the requests got; shorter than these where the default reply was used. */
  List<Reply> replies() {
    int from = Math.min(requestsBefore, script.size());
    int to = Math.min(from + requests().size(), script.size());
    return script.subList(from, to);
  }

  HttpCall call() {
    return scenario.setup().call;
  }

  /**
   * Whether nothing happened that had to cost a connection: no action, no fault, no error body too
   * long to be read for the sake of its connection.
   */
  boolean peaceful() {
    return scenario.setup().actions.isEmpty()
        && outcome instanceof ScenarioOutcome.Answer
        && call().body().form() != HttpCall.Form.CHANGING // which ends the connection
        && !requests().isEmpty()
        && script.stream().allMatch(reply -> reply.parts().peaceful());
  }

  Scenario scenario() {
    return scenario;
  }

  EntryPoint entry() {
    return entry;
  }

  ScenarioOutcome outcome() {
    return outcome;
  }

  Recorder recorder() {
    return recorder;
  }

  Client client() {
    return client;
  }

  CountingBudget budget() {
    return budget;
  }

  CountingGuard guard() {
    return guard;
  }
}
