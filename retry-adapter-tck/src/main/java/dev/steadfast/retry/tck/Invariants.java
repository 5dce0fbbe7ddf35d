package dev.steadfast.retry.tck;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/** Rules that hold in every scenario, so that no row has to say them. */
final class Invariants {
  private static final Set<String> ANSWERS = Set.of("succeeded", "failed", "released");

  private static final Optional<FailureKind> STALE = Optional.of(FailureKind.STALE_CONNECTION);

  private static final Set<String> NEED_A_KEY = Set.of("POST", "PATCH");

  private final Observed observed;
  private final Findings findings;
  private final Recorder recorder;

  Invariants(Observed observed, Findings findings) {
    this.observed = observed;
    this.findings = findings;
    this.recorder = observed.recorder();
  }

  void check(URI uri) {
    OperationInfo operation = recorder.operation();
    if (operation == null) {
      return; // refused before it began
    }
    identity(operation, uri);
    requests();
    headersShown();
    permits();
    payment();
    lastAnswer();
    RetryReport told = recorder.report();
    if (told == null) {
      findings.add("a listener was never told of the end");
    } else {
      report(told);
    }
    if (observed.peaceful()) {
      findings.check(
          observed.connections() <= 1,
          observed.connections() + " connections, though no reply had to end one");
    }
  }

  private Interference interference() {
    return observed.scenario().setup().interference;
  }

  /** Logs show origin and path, no query. */
  private void identity(OperationInfo operation, URI uri) {
    String origin = uri.getScheme() + "://" + uri.getHost() + ":" + uri.getPort();
    String label = observed.call().method() + " " + origin + uri.getPath();
    findings.expect("label", label, operation.label());
    findings.expect("origin", origin, operation.origin());
  }

  /** The server receives what the caller wrote. */
  private void requests() {
    boolean redirected = observed.scenario().setup().follows == Follows.REDIRECTS;
    if (redirected || interference().changesRequest()) {
      return;
    }
    HttpCall call = observed.call();
    for (Received each : observed.requests()) {
      findings.expect("method", call.method(), each.method());
      findings.expect("target", call.path(), each.target());
      findings.expect("request body", call.body().text(), each.bodyText());
      call.headers()
          .forEach(line ->
              findings.check(
                  each.headerValues(line.getKey()).contains(line.getValue()),
                  "the caller's own header is missing: " + line));
    }
  }

  /** Listeners are shown what is sent. */
  private void headersShown() {
    List<Object> shown = recorder.requests();
    if (shown.size() != observed.requests().size() || interference().changesRequest()) {
      return; // resent below us, never sent, or changed
    }
    String name = observed.scenario().setup().keyHeader;
    List<String> keys =
        shown.stream()
            .map(request -> String.join("+", observed.client().headerValues(request, name)))
            .map(value -> value.isEmpty() ? "-" : value)
            .toList();
    findings.expect("key shown to listeners", observed.values(name), keys);
  }

  /** Every permit is answered, once; one that no attempt followed is released. */
  private void permits() {
    List<String> answers = observed.guard().answers();
    int attempts = recorder.requests().size();
    findings.check(answers.size() >= attempts, attempts + " attempts, permits: " + answers);
    findings.check(
        answers.stream().skip(attempts).allMatch("released"::equals),
        attempts + " attempts, permits: " + answers);
    findings.check(ANSWERS.containsAll(answers), "permits not answered once each: " + answers);
  }

  /** Every retry that began is paid for, and no other; but for a free one on a dead connection. */
  private void payment() {
    if (observed.budget().begun() == 0) {
      return; // the row has a budget of its own
    }
    findings.expect("operations begun for the budget", 1, observed.budget().begun());
    findings.expect("operations ended for the budget", 1, observed.budget().ended());
    int retries = Math.max(0, recorder.requests().size() - 1);
    boolean free = recorder.attempts().stream().limit(retries).anyMatch(this::isFreelyResent);
    findings.expect("retries paid for", retries - (free ? 1 : 0), observed.budget().taken());
  }

  private boolean isFreelyResent(AttemptReport attempt) {
    boolean safe =
        attempt.disposition() == Disposition.UNSENT
            || !NEED_A_KEY.contains(observed.call().method());
    return attempt.kind().equals(STALE) && safe;
  }

  /** The caller gets the last answer as the server gave it, whatever was hidden meanwhile. */
  private void lastAnswer() {
    List<Reply> replies = observed.replies();
    if (observed.outcome() instanceof ScenarioOutcome.Answer answer
        && !replies.isEmpty()
        && replies.size() == observed.requests().size()) {
      replies
          .get(replies.size() - 1)
          .parts()
          .headers
          .forEach(line ->
              findings.check(
                  answer.has(line.getKey(), line.getValue()),
                  "the answer lacks " + line + ": " + answer.headers()));
    }
  }

  private void report(RetryReport told) {
    List<AttemptReport> attempts = recorder.attempts();
    for (int i = 0; i < attempts.size(); i++) {
      findings.expect("number of attempt", i + 1, attempts.get(i).number());
    }
    findings.expect("attempts in the report", recorder.requests().size(), told.attempts());
    findings.expect("attempt reports", attempts.size(), told.attemptReports().size());
    boolean acted =
        told.saved().isPresent()
            ? acted(told.saved().get()) // by an earlier call
            : attempts.stream().anyMatch(each -> each.disposition().mayHaveActed());
    findings.expect("server may have acted", acted, told.serverMayHaveActed());
    boolean earlier =
        attempts.stream()
            .limit(Math.max(0, attempts.size() - 1))
            .anyMatch(each -> each.disposition().mayHaveActed());
    boolean earlierCall = told.saved().isPresent() && told.earlierAttemptMayHaveActed();
    findings.expect(
        "earlier may have acted", earlier || earlierCall, told.earlierAttemptMayHaveActed());
    deliveries(told, attempts);
    sameReport(told);
  }

  private static boolean acted(RetryReport.Saved saved) {
    return saved.effect() != RetryReport.Effect.NEVER_SENT;
  }

  /**
   * Compares deliveries with requests. A delivery on a stale connection may not arrive, and one of
   * a changed body not whole. A client that resends shows a delivery only if it got an answer and
   * had no reason to send twice.
   */
  private void deliveries(RetryReport told, List<AttemptReport> attempts) {
    List<OptionalInt> known =
        attempts.stream().map(AttemptReport::deliveries).filter(OptionalInt::isPresent).toList();
    if (observed.entry().traits().contains(Trait.RESENDS_READS)) {
      deliveriesOfJdk(attempts);
    } else if (interference() != Interference.SENDS_ELSEWHERE) {
      findings.expect("attempts with known deliveries", attempts.size(), known.size());
      int least =
          sum(attempts, each -> !each.kind().equals(STALE))
              - (told.reason() == StopReason.BODY_CHANGED ? 1 : 0);
      int most = sum(attempts, each -> true);
      int requests = observed.requests().size();
      findings.check(
          least <= requests && requests <= most,
          requests + " requests, deliveries: " + least + " to " + most);
    }
  }

  private void deliveriesOfJdk(List<AttemptReport> attempts) {
    boolean resends = Set.of("GET", "HEAD").contains(observed.call().method());
    boolean one = !resends && observed.scenario().setup().follows == Follows.NOTHING;
    for (AttemptReport each : attempts) {
      int deliveries = each.deliveries().orElse(-1);
      if (each.status().isPresent()) {
        findings.expect("deliveries of " + each, one ? 1 : -1, deliveries);
      } else if (each.disposition() == Disposition.UNSENT) {
        findings.expect("deliveries of " + each, 0, deliveries);
      }
    }
    int known = sum(attempts, each -> true);
    int requests = observed.requests().size();
    findings.check(known <= requests, requests + " requests, deliveries: " + known);
  }

  private static int sum(List<AttemptReport> attempts, Predicate<AttemptReport> which) {
    return attempts.stream().filter(which).mapToInt(each -> each.deliveries().orElse(0)).sum();
  }

  /** The report on the outcome is the one that the listener got. */
  private void sameReport(RetryReport told) {
    Optional<RetryReport> rides = observed.report();
    findings.check(rides.isPresent() || withoutReport(), "the outcome has no report");
    rides.ifPresent(report -> {
      findings.expect("reason on the outcome", told.reason(), report.reason());
      findings.expect("attempts on the outcome", told.attempts(), report.attempts());
      findings.expect("server delay on the outcome", told.serverDelay(), report.serverDelay());
      findings.expect("saved on the outcome", told.saved(), report.saved());
      sameEffect(report);
      report
          .saved()
          .ifPresent(saved -> {
            findings.expect("acted on the outcome", acted(saved), report.serverMayHaveActed());
            boolean unknown = saved.effect() == RetryReport.Effect.UNKNOWN;
            findings.expect("unknown on the outcome", unknown, report.outcomeUnknown());
          });
    });
  }

  /** Both ways to ask for the effect agree. */
  private void sameEffect(RetryReport report) {
    if (observed.outcome() instanceof ScenarioOutcome.Answer answer) {
      boolean unknown = report.effect(answer.status()) == RetryReport.Effect.UNKNOWN;
      findings.expect("outcome unknown", unknown, report.outcomeUnknown());
    }
  }

  private boolean withoutReport() {
    if (!(observed.outcome() instanceof ScenarioOutcome.Failure failure)) {
      return false;
    }
    return switch (failure.category()) {
      case BROKEN_READING -> true; // the call was over before
      case CANCELLED -> observed.entry().traits().contains(Trait.CANCEL_WITHOUT_REPORT);
      default -> false;
    };
  }
}
