package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.torture.ToldLog.Event;
import dev.steadfast.retry.torture.ToldLog.Kind;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares what was asked for with what was sent, what was done, and the answers that callers got.
 */
final class Contents {
  private static final Pattern MADE =
      Pattern.compile("201 \\{\"intent\":\"([^\"]*)\",\"payment\":(\\d+)}");
  private static final Set<String> OWN_EFFECTS =
      Set.of(Effect.SUCCEEDED.name(), Effect.ACCEPTED.name());

  private Contents() {}

  /** The fault of an operation, null if there is none. */
  static String wrong(Facts facts) {
    if (!facts.wire().isEmpty()) {
      return facts.wire().get(0);
    }
    Op asked = facts.operation();
    for (Facts.Payment made : facts.payments()) {
      boolean same =
          made.amount() == asked.amount()
              && made.account().equals(asked.account())
              && made.principal().equals(asked.kind().principal());
      if (!same) {
        return "was done with another amount, account or principal";
      }
    }
    if (facts.row() != null && facts.row().claims() == 0 && facts.effects() > 0) {
      return "was done, and nobody has claimed it";
    }
    String claims = Claims.wrong(facts.others());
    return claims != null ? claims : answers(facts);
  }

  private static String answers(Facts facts) {
    for (Event event : facts.events()) {
      if (!event.answer().isEmpty() && !fits(facts, event)) {
        return "was told " + event.word() + " with the answer " + event.answer();
      }
    }
    for (Event event : facts.events()) {
      if (facts.row() != null && Caller.isHandedToAnother(event, facts.row())) {
        return "was begun by " + facts.row().caller() + ", and its answer handed to another caller";
      }
    }
    for (Event event : facts.others()) {
      if (event.kind() == Kind.CHANGED
          && (OWN_EFFECTS.contains(event.word()) || !event.answer().isEmpty())) {
        return "was told " + event.word() + " of a changed request, with " + event.answer();
      }
    }
    return null;
  }

  /** Whether an answer belongs to the operation, and to the word that came with it. */
  private static boolean fits(Facts facts, Event event) {
    Matcher made = MADE.matcher(event.answer());
    if (made.matches()) {
      return !event.word().equals(Effect.FAILED.name())
          && made.group(1).equals(facts.operation().intent())
          && facts.payments().stream()
              .anyMatch(each -> each.number() == Long.parseLong(made.group(2)));
    }
    return !event.word().equals(Effect.SUCCEEDED.name())
        && (!event.word().equals(Effect.FAILED.name()) || event.answer().startsWith("4"));
  }
}
