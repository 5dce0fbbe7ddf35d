package dev.steadfast.retry.torture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.torture.Finding.Kind;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The proof with something broken, which the checker must see. Once is enough to show that it can
 * fail, so on one JDK.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledForJreRange(minVersion = 25)
class MutantsTest {
  private static final long SEED = 7;
  private static final double MINUTES = 0.25;

  /** What is found of a mutant alone: not, for example, that operations are unfinished. */
  private static boolean isOf(Break broken, Finding finding) {
    return switch (broken) {
      case NONE, CLAIM_NOTHING -> false;
      case OTHER_AMOUNT -> finding.what().contains("another amount");
      case ORDER_IGNORED -> finding.what().contains("which its sequence has before it");
      case TOKEN_IGNORED -> finding.what().contains("a claim that was lost");
      case NO_JOURNAL -> finding.kind() == Kind.LOST;
      case NO_KEYS, KEY_PER_ATTEMPT, LATE_FIRST_SENT, MARK_NOTHING, WINDOW_TOO_LONG ->
          finding.kind() == Kind.DUPLICATE;
    };
  }

  private static void isCaught(Break broken) throws Exception {
    Verdict verdict = TortureTest.run(new Settings(SEED, MINUTES, broken, Engine.JOURNAL));
    List<Finding> found = verdict.findings().stream().filter(each -> isOf(broken, each)).toList();
    boolean nothingResumed = broken == Break.CLAIM_NOTHING && verdict.words().resumed() == 0;
    assertTrue(!found.isEmpty() || nothingResumed, () -> TortureTest.printed(verdict));
  }

  @Test
  void anotherAmountIsSeen() throws Exception {
    isCaught(Break.OTHER_AMOUNT);
  }

  @Test
  void aNoteThatIsNotWrittenIsSeen() throws Exception {
    isCaught(Break.MARK_NOTHING);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"NONE", "OTHER_AMOUNT", "MARK_NOTHING"},
      mode = EnumSource.Mode.EXCLUDE)
  @EnabledIfSystemProperty(named = "torture.mutants", matches = "true")
  void everyOtherIsSeen(Break broken) throws Exception {
    isCaught(broken);
  }
}
