package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport.Effect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the planned operations, what callers were told, the rows of the journal, and the ledger.
 * It counts effects by the intent in the request body, never by key. It reads only a directory, so
 * {@code Checker <directory>} can judge a run again.
 */
public final class Checker {
  private static final String SUCCEEDED = "succeeded";
  private static final String UNKNOWN = "unknown";
  private static final String UNTOLD = Effect.UNKNOWN.name();

  private Checker() {}

  /** Exits with 0 if the run holds. */
  public static void main(String[] args) {
    Verdict verdict = check(new History(Path.of(args[0])));
    verdict.print(System.out);
    System.exit(verdict.holds() ? 0 : 1);
  }

  static Verdict check(History history) {
    List<Finding> findings = new ArrayList<>();
    Map<Effect, Integer> words = new EnumMap<>(Effect.class);
    int unknownKeyed = 0;
    int keyed = 0;
    int resumed = 0;
    Collection<Facts> all = Facts.read(history).values();
    findings.addAll(Order.judge(all));
    for (Facts facts : all) {
      resumed += facts.resumed() ? 1 : 0;
      findings.addAll(judge(facts));
      Effect word = word(facts);
      words.merge(word, 1, Integer::sum);
      boolean hasKey = facts.operation().kind().keyed();
      keyed += hasKey ? 1 : 0;
      unknownKeyed += hasKey && word == Effect.UNKNOWN ? 1 : 0;
    }
    return new Verdict(
        history.settings(),
        history.fired().counts(),
        new Verdict.Words(words, keyed, unknownKeyed, resumed),
        findings,
        history.lines("surprises.txt"));
  }

  /** The findings about one operation; empty if all is well. */
  static List<Finding> judge(Facts facts) {
    List<Finding> findings = new ArrayList<>();
    if (facts.effects() > 1) {
      findings.add(
          new Finding(Finding.Kind.DUPLICATE, "has " + facts.effects() + " effects", facts));
    }
    String lost = lost(facts);
    if (lost != null) {
      findings.add(new Finding(Finding.Kind.LOST, lost, facts));
    }
    String wrong = wrong(facts);
    if (wrong != null) {
      findings.add(new Finding(Finding.Kind.WRONG, wrong, facts));
    }
    return findings;
  }

  /** Whether it was told succeeded or accepted and not done, or begun and never settled. */
  private static String lost(Facts facts) {
    Facts.Row row = facts.row();
    boolean done = facts.effects() > 0;
    if (facts.everTold(Effect.SUCCEEDED) && !done) {
      return "was told succeeded, and nothing was done";
    }
    boolean settled = row != null && row.is("failed", UNKNOWN);
    if (facts.everTold(Effect.ACCEPTED) && !done && !settled) {
      return "was accepted, and nothing was done";
    }
    if (row == null) {
      // The journal has nothing. If it was done, somebody must know.
      return done && !facts.everTold(Effect.SUCCEEDED) ? "was done, and nobody knows" : null;
    }
    if (row.is("ready", "in_flight")) {
      return "is unfinished";
    }
    // Without a key on the wire, the server cannot refuse a request that may still be on its way.
    boolean settles = done || facts.operation().kind().keyed();
    return row.is(UNKNOWN) && settles ? "was never settled" : null;
  }

  /** Whether what the caller was told, the row and the ledger disagree. */
  private static String wrong(Facts facts) {
    if (facts.wordless()) {
      return "returned without a word";
    }
    String other = Contents.wrong(facts);
    return other != null ? other : contradiction(facts);
  }

  private static String contradiction(Facts facts) {
    Facts.Row row = facts.row();
    boolean done = facts.effects() > 0;
    if (done && (facts.lastWordIs(Effect.FAILED) || facts.lastWordIs(Effect.NEVER_SENT))) {
      return "was told that nothing was done";
    }
    if (row == null) {
      return facts.lastWord().isPresent() && !facts.lastWordIs(Effect.UNKNOWN)
          ? "was told something, and the journal has no row"
          : null;
    }
    if (facts.everTold(Effect.SUCCEEDED) && !row.is(SUCCEEDED, UNKNOWN)) {
      return "was told succeeded, and its row says otherwise";
    }
    if (facts.lastWordIs(Effect.FAILED) && !row.is("failed", "closed")) {
      return "was told failed, and its row says otherwise";
    }
    if (facts.lastWordIs(Effect.NEVER_SENT) && !row.is("closed")) {
      return "was told never sent, and its row says otherwise";
    }
    if (facts.everTold(Effect.ACCEPTED) && !row.delivered()) {
      return "was accepted, and is not delivered";
    }
    if (row.is(SUCCEEDED) != done && !row.is(UNKNOWN, "ready", "in_flight")) {
      return done ? "was done, and its row denies it" : "was not done, and its row claims it";
    }
    return null;
  }

  /**
   * The result of an operation in one word: what its caller was told last. If that is "unknown" or
   * missing, it is what the journal found out later by sending the request again. It is unknown if
   * only a look-up at the server could tell.
   */
  private static Effect word(Facts facts) {
    String last = facts.wordless() ? UNTOLD : facts.lastWord().orElse(UNTOLD);
    if (!last.equals(UNTOLD)) {
      return Effect.valueOf(last);
    }
    Facts.Row row = facts.row();
    if (row == null) {
      return facts.effects() > 0 ? Effect.UNKNOWN : Effect.NEVER_SENT;
    }
    if (facts.settled() || row.is(UNKNOWN, "ready", "in_flight")) {
      return Effect.UNKNOWN;
    }
    return row.is(SUCCEEDED) ? Effect.SUCCEEDED : Effect.FAILED;
  }
}
