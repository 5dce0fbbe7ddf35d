package dev.steadfast.retry.tck;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table: configuration, call, actions, and the expected result. Immutable. The
 * documentation of the package tells how to read one.
 */
final class Scenario {
  private final Setup setup;
  private final Expected expected;
  private final List<Difference> differences;

  /** Why clients of this nature must give another result than the others. */
  record Difference(Trait who, String reason, Function<Expected, @Nullable Expected> change) {}

  /** An act of a test while a call is under way. */
  interface Action {
    void on(Running run) throws Exception;
  }

  /** The moment at which an action is due. Numbers begin at 1. */
  enum Moment {
    /** The n-th request has been read by the server, which has not replied. */
    REQUEST,
    /** The listener's event for the start of the operation. */
    STARTED,
    /** The listener's event for the start of attempt n. */
    ATTEMPT,
    /** The listener's event for the end of attempt n. */
    ATTEMPT_ENDED,
    /** The listener's event for the n-th wait, before it begins. */
    BEFORE_WAIT,
    /** The n-th wait has begun; it does not end by itself. */
    IN_WAIT,
    /** The caller's own code sees the answer. Its body may still be on its way. */
    HEAD,
    /** The caller has got the outcome. */
    OUTCOME
  }

  /** A moment and its number. */
  record At(Moment moment, int number) {}

  private Scenario(Setup setup, Expected expected, List<Difference> differences) {
    this.setup = setup;
    this.expected = expected;
    this.differences = differences;
  }

  static Scenario row(String name) {
    return new Scenario(new Setup(name), Expected.NOTHING, List.of());
  }

  // ---- what the row is about

  /** A row that begins like this one, with more words in its name. */
  Scenario titled(String more) {
    return with(s -> s.name = s.name + more);
  }

  /** Names the mistakes of other libraries that this row guards against. */
  Scenario trap(int... numbers) {
    return with(s -> s.traps = numbers.clone());
  }

  // ---- the call

  Scenario get(String path) {
    return call(HttpCall.of("GET", path));
  }

  Scenario put(String path, String body) {
    return call(HttpCall.of("PUT", path).body(HttpCall.Form.REPEATABLE, body));
  }

  Scenario post(String path, String body) {
    return call(HttpCall.of("POST", path).body(HttpCall.Form.REPEATABLE, body));
  }

  Scenario call(HttpCall call) {
    return with(s -> s.call = call);
  }

  Scenario header(String name, String value) {
    return with(s -> s.call = s.call.header(name, value));
  }

  Scenario options(RetryOptions.Builder options) {
    RetryOptions built = options.build();
    return with(s -> s.call = s.call.options(built));
  }

  /** The call is made for a request of the principal {@code acme} with these headers. */
  Scenario inbound(String... namesAndValues) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return with(s -> s.inbound = headers);
  }

  /** Calls made before the one that counts, on the same client; the server answers them first. */
  Scenario first(int times, HttpCall call) {
    return with(s -> {
      List<HttpCall> first = new ArrayList<>(s.first);
      for (int i = 0; i < times; i++) {
        first.add(call);
      }
      s.first = List.copyOf(first);
    });
  }

  // ---- the configuration; the base is 3 attempts, waits of 100 ms and 200 ms, 30 s in all

  Scenario policy(UnaryOperator<RetryPolicy.Builder> change) {
    return with(s -> s.policy = change);
  }

  Scenario retry(Consumer<HttpRetry.Builder> setting) {
    return retry((builder, run) -> setting.accept(builder));
  }

  Scenario retry(BiConsumer<HttpRetry.Builder, Running> setting) {
    return with(s -> s.setting = s.setting.andThen(setting));
  }

  /** The header where the server looks for the key. */
  Scenario keyHeader(String name) {
    return with(s -> s.keyHeader = name);
  }

  /** The number of retries that the budget pays for; many without this. */
  Scenario tokens(int tokens) {
    return with(s -> s.tokens = tokens);
  }

  Scenario guard(Consumer<CountingGuard> behaviour) {
    return with(s -> s.guard = behaviour);
  }

  // ---- the server

  Scenario replies(Reply... replies) {
    return with(s -> s.replies = run -> List.of(replies));
  }

  /** Replies that wait for {@link Running#gate}. */
  Scenario replies(Function<Running, List<Reply>> replies) {
    return with(s -> s.replies = replies);
  }

  // ---- what the client does by itself

  /** The messages that the client follows within an attempt; nothing without this. */
  Scenario follows(Follows what) {
    return with(s -> s.follows = what);
  }

  // ---- code of the user's in the client

  /** The acts of the user's code; for clients that have a place for it. */
  Scenario interferes(Interference how) {
    return with(s -> s.interference = how);
  }

  /** The address of the call refuses connections. */
  Scenario refused() {
    return with(s -> s.refused = true);
  }

  // ---- what is done meanwhile

  Scenario at(Moment moment, Action action) {
    return at(moment, 1, action);
  }

  Scenario at(Moment moment, int number, Action action) {
    return with(s -> {
      Map<At, Action> actions = new LinkedHashMap<>(s.actions);
      actions.put(new At(moment, number), action);
      s.actions = actions;
    });
  }

  // ---- the expected result

  Scenario answers(int status, String body) {
    return expect(e -> e.answers(status, body));
  }

  Scenario fails(ScenarioOutcome.Category category) {
    return expect(e -> e.fails(category));
  }

  /**
   * Nothing is sent, because the journal knows a reason; with the words of {@link Expected#saved}.
   */
  Scenario refusedByJournal(Refusal refusal, String saved) {
    return expect(e -> e.refusedByJournal(refusal).saved(saved))
        .requests(0)
        .trace("done " + reason(refusal).name() + " 0");
  }

  private static StopReason reason(Refusal refusal) {
    return switch (refusal) {
      case IN_FLIGHT -> StopReason.IN_FLIGHT_ELSEWHERE;
      case OTHER_REQUEST -> StopReason.OTHER_REQUEST;
      case UNKNOWN -> StopReason.EARLIER_OUTCOME_UNKNOWN;
      case UNREACHABLE, UNWRITABLE, ANSWER_NOT_KEPT, OTHER_CALLER, PARKED, CANCELLED ->
          StopReason.JOURNAL_REFUSED;
    };
  }

  /** How many requests the server has read. */
  Scenario requests(int count) {
    return expect(e -> e.requests(count));
  }

  /** The events, see {@link Recorder}. */
  Scenario trace(String... lines) {
    return expect(e -> e.trace(lines));
  }

  /** The first attempt ends so; the second one, after the backoff, with {@code 200 ok}. */
  Scenario retriedAfter(String first) {
    return retriedAfter(first, "wait 100ms backoff");
  }

  /** The first attempt ends so; the second one, after this wait, with {@code 200 ok}. */
  Scenario retriedAfter(String first, String wait) {
    return answers(200, "ok")
        .requests(2)
        .trace("attempt 1: " + first, wait, "attempt 2: 200", "done ACCEPTED 2");
  }

  /** The only attempt ends so, and the operation with this reason and number of attempts. */
  Scenario endsAfter(String only, String done) {
    return requests(1).trace("attempt 1: " + only, "done " + done);
  }

  /** As above, with the default backoff after the first attempt. */
  Scenario endsAfter(String first, String second, String done) {
    return requests(2)
        .trace("attempt 1: " + first, "wait 100ms backoff", "attempt 2: " + second, "done " + done);
  }

  /** As above, with the default backoff after the first two attempts. */
  Scenario endsAfter(String first, String second, String third, String done) {
    return requests(3)
        .trace(
            "attempt 1: " + first,
            "wait 100ms backoff",
            "attempt 2: " + second,
            "wait 200ms backoff",
            "attempt 3: " + third,
            "done " + done);
  }

  /** The operation ends before it has begun. */
  Scenario neverBegins(ScenarioOutcome.Category category) {
    return fails(category).requests(0).trace();
  }

  Scenario expect(UnaryOperator<Expected> change) {
    return new Scenario(setup, change.apply(expected), differences);
  }

  Scenario differs(Trait who, String reason, Function<Expected, @Nullable Expected> change) {
    List<Difference> more = new ArrayList<>(differences);
    more.add(new Difference(who, reason, change));
    return new Scenario(setup, expected, List.copyOf(more));
  }

  /** The row makes no sense for clients with this trait. */
  Scenario notFor(Trait who, String reason) {
    return differs(who, reason, e -> null);
  }

  // ---- inside

  private Scenario with(Consumer<Setup> change) {
    Setup copy = new Setup(setup);
    change.accept(copy);
    return new Scenario(copy, expected, differences);
  }

  /** The name in the names of tests. */
  String title() {
    StringBuilder title = new StringBuilder(setup.name);
    for (int trap : setup.traps) {
      title.append(" (trap ").append(trap).append(')');
    }
    return title.toString();
  }

  Setup setup() {
    return setup;
  }

  /** The result on any entry point that has no difference. */
  Expected expected() {
    return expected;
  }

  List<Difference> differences() {
    return differences;
  }

  /** The result on a client with these traits; null if the row is not for it. */
  @Nullable Expected expected(Set<Trait> traits) {
    @Nullable Expected own = expected;
    for (Difference each : differences) {
      if (own != null && traits.contains(each.who())) {
        own = each.change().apply(own);
      }
    }
    return own;
  }

  /** Why the row is not for a client with these traits. */
  String reason(Set<Trait> traits) {
    return differences.stream()
        .filter(each -> traits.contains(each.who()))
        .map(Difference::reason)
        .reduce((first, last) -> last)
        .orElseThrow();
  }

  @Override
  public String toString() {
    return title();
  }

  /** Millis in few words. */
  static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }
}
