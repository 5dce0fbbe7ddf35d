package dev.steadfast.retry.tck;

import dev.steadfast.retry.operations.OperationJournal.Refusal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The result that a scenario must have, aspect by aspect, as text; aspects that are not named are
 * not compared. Immutable.
 */
final class Expected {
  static final String OUTCOME = "outcome";
  static final String REQUESTS = "requests";
  static final String LINES = "lines";
  static final String TRACE = "trace";
  static final String KEY = "key";
  static final String BUDGET = "budget";
  static final String PERMITS = "permits";
  static final String CONNECTIONS = "connections";
  static final String UPWARD = "upward";
  static final String SAVED = "saved";
  static final String EFFECT = "effect";
  static final String HEADER = "header ";

  /** Expects only that no key is sent. */
  static final Expected NOTHING = new Expected(Map.of()).with(KEY, "none");

  private final Map<String, String> aspects;

  private Expected(Map<String, String> aspects) {
    this.aspects = aspects;
  }

  Expected answers(int status, String body) {
    return with(OUTCOME, (status + " " + body).trim());
  }

  Expected fails(ScenarioOutcome.Category category) {
    return with(OUTCOME, category.toString());
  }

  /** An {@code AttemptRefusedException} that tells of the last answer. */
  Expected refusedAfter(int status, String serverDelay) {
    return with(
        OUTCOME, ScenarioOutcome.Category.REFUSED_BY_GUARD + " after " + status + serverDelay);
  }

  /** A {@code RefusedException} with this reason. */
  Expected refusedByJournal(Refusal refusal) {
    return with(OUTCOME, ScenarioOutcome.Category.REFUSED_BY_JOURNAL + " " + refusal);
  }

  /**
   * The words of the report on what the journal knows: the effect, with {@code not recorded},
   * {@code handed back} and {@code resumable} where that is so.
   */
  Expected saved(String words) {
    return with(SAVED, words);
  }

  /** The effect in the report. */
  Expected effect(String word) {
    return with(EFFECT, word);
  }

  Expected requests(int count) {
    return with(REQUESTS, Integer.toString(count));
  }

  /** Method and target of the requests. */
  Expected lines(String... lines) {
    return with(LINES, String.join(", ", lines));
  }

  Expected trace(String... lines) {
    return with(TRACE, String.join("; ", lines));
  }

  /**
   * The key that all requests carry: a value; {@code minted} is a random UUID, {@code hash}
   * SHA-256.
   */
  Expected key(String key) {
    return with(KEY, key);
  }

  /** The values of a header, request by request; {@code -} where there is none. */
  Expected sent(String name, String... values) {
    return with(HEADER + name, String.join(", ", values));
  }

  /** The questions to the budget: see {@link CountingBudget}. */
  Expected budget(String events) {
    return with(BUDGET, events);
  }

  /** The answers to the requests for permits, in order: see {@link CountingGuard}. */
  Expected permits(String... answers) {
    return with(PERMITS, String.join(", ", answers));
  }

  /** How many connections the call made. */
  Expected connections(int count) {
    return with(CONNECTIONS, Integer.toString(count));
  }

  /** The header that the scope of the call adds to the response of its own request. */
  Expected upward(String header) {
    return with(UPWARD, header);
  }

  private Expected with(String aspect, String text) {
    Map<String, String> more = new LinkedHashMap<>(aspects);
    more.put(aspect, text);
    return new Expected(more);
  }

  Map<String, String> aspects() {
    return aspects;
  }

  /** Whether it has the aspects that every row must name. */
  boolean complete() {
    return aspects.keySet().containsAll(Arrays.asList(OUTCOME, REQUESTS, TRACE));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Expected that && aspects.equals(that.aspects);
  }

  @Override
  public int hashCode() {
    return Objects.hash(aspects);
  }

  @Override
  public String toString() {
    return aspects.toString();
  }
}
