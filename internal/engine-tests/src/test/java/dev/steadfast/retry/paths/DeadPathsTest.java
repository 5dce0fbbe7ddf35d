package dev.steadfast.retry.paths;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.paths.PathChoice.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rule of {@link OriginPaths}, in virtual time: by example, and in serial traffic. */
class DeadPathsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long AVOIDED = OriginPaths.AVOIDED_NANOS;

  private final OriginPaths paths = new OriginPaths();
  private final WirePath usual = new WirePath();
  private long now = -5 * SECOND; // a clock may begin anywhere

  private PathChoice first() {
    return paths.choose(true, null, now);
  }

  private PathChoice afterSilence() {
    return paths.choose(true, usual, now);
  }

  private void diesTwice() {
    assertEquals(PathEvent.SUSPECTED, paths.silent(usual, now));
    assertNull(paths.silent(usual, now));
  }

  private void confirmed() {
    diesTwice();
    assertNotNull(afterSilence());
    assertEquals(PathEvent.CONFIRMED, paths.otherAlive(now));
  }

  @Test
  void nothingHappensWithoutSilence() {
    assertNull(first());
    assertFalse(paths.uneasy());
    assertNull(paths.alive(usual, now));
    assertFalse(paths.uneasy());
  }

  @Test
  void oneSilenceSendsTheNextAttemptOfItsOperationElsewhere() {
    paths.silent(usual, now);

    assertNull(first(), "another operation");
    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.OPEN), afterSilence());
    assertNull(paths.otherAlive(now), "one silence is no proof");
    assertNull(first());
  }

  @Test
  void twoSilencesAndAnAnswerElsewhereProveIt() {
    confirmed();

    assertEquals(new PathChoice(OtherPath.DEAD_CONNECTION, Step.GO), first());
  }

  @Test
  void silencesInSuccessionProveItToo() {
    paths.silent(usual, now);
    afterSilence();
    assertNull(paths.otherAlive(now));
    now += 5 * SECOND;
    assertNull(paths.silent(usual, now));
    afterSilence();

    assertEquals(PathEvent.CONFIRMED, paths.otherAlive(now));
  }

  @Test
  void lifeEndsASuspicion() {
    paths.silent(usual, now);
    paths.alive(usual, now);

    assertNull(afterSilence());
    assertFalse(paths.uneasy());
  }

  @Test
  void lifeOfAnotherConnectionDoesNot() {
    paths.silent(usual, now);
    paths.alive(new WirePath(), now);

    assertNotNull(afterSilence());
  }

  @Test
  void oneAttemptOpensTheOtherConnection() {
    diesTwice();

    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.OPEN), afterSilence());
    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.AWAIT), afterSilence());
    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.AWAIT), first());
    paths.otherOpened(now);
    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.GO), afterSilence());
    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.GO), first());
  }

  @Test
  void anOpenerThatIsNeverHeardOfHoldsUpNobodyForGood() {
    diesTwice();
    afterSilence();
    now += 10 * SECOND;

    assertEquals(Step.OPEN, afterSilence().step());
  }

  @Test
  void anIdleOtherConnectionIsNotTrusted() {
    paths.silent(usual, now);
    afterSilence();
    paths.otherAlive(now);
    now += OriginPaths.TRUSTED_NANOS;

    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.OPEN), afterSilence());
  }

  @Test
  void bothSilentIsTheServer() {
    diesTwice();
    afterSilence();
    paths.otherSilent(now);

    assertNull(afterSilence());
    assertNull(paths.silent(usual, now));
    assertNull(paths.silent(usual, now));
    assertNull(afterSilence(), "nothing more is opened");
    now += AVOIDED;
    assertNull(first());
    assertFalse(paths.uneasy());
    diesTwice();
    assertNotNull(afterSilence());
  }

  @Test
  void lifeOfTheServerEndsTheHold() {
    paths.silent(usual, now);
    afterSilence();
    paths.otherSilent(now);
    paths.alive(usual, now);

    assertFalse(paths.uneasy());
  }

  @Test
  void oneSafeAttemptLooksAfterThirtySeconds() {
    confirmed();
    now += AVOIDED;

    assertNotNull(paths.choose(false, null, now), "one that could not be repeated");
    assertNotNull(afterSilence(), "one that was just lost there");
    assertNull(first(), "the one that looks");
    assertNotNull(first());
    assertNull(paths.silent(usual, now));
    assertNotNull(afterSilence());
    now += AVOIDED;
    assertNull(first());
    assertEquals(PathEvent.RETURNED, paths.alive(usual, now));
    assertNull(first());
    assertFalse(paths.uneasy());
  }

  @Test
  void aNewUsualConnectionBringsAttemptsBackOnlyIfItWasLookedFor() {
    confirmed();
    assertNull(paths.alive(new WirePath(), now), "it has been in use all the time");
    assertNotNull(first());
    now += AVOIDED;
    assertNull(first());

    assertEquals(PathEvent.RETURNED, paths.alive(new WirePath(), now));
    assertNull(first());
  }

  @Test
  void whenTheOtherOneDiesTooANewOneIsTried() {
    confirmed();
    paths.otherSilent(now);
    assertEquals(new PathChoice(OtherPath.DEAD_CONNECTION, Step.GO), first(), "it may be slow");
    paths.otherSilent(now);

    assertEquals(new PathChoice(OtherPath.SILENT_CONNECTION, Step.OPEN), first());
    assertEquals(Step.AWAIT, first().step(), "one attempt at a time");
    assertEquals(PathEvent.CONFIRMED, paths.otherAlive(now));
  }

  @Test
  void aRefusedConnectionChangesNothing() {
    diesTwice();
    afterSilence();
    paths.otherFailed(false, now);

    assertNotNull(afterSilence());
  }

  @Test
  void anOriginWhoseTlsRefusesIsLeftAlone() {
    diesTwice();
    afterSilence();
    paths.otherFailed(true, now);
    paths.alive(usual, now);
    now += AVOIDED;
    paths.silent(usual, now);

    assertNull(afterSilence());
    now += OriginPaths.LEFT_ALONE_NANOS;
    paths.silent(usual, now);
    assertNotNull(afterSilence());
  }

  /** Serial traffic: each operation takes 10 ms, and one of a hundred answers comes too late. */
  @Test
  void slowAnswersLeaveFewOperationsOnTheOtherConnection() {
    SplittableRandom random = new SplittableRandom(7);
    int operations = 1_000_000;
    int avoiding = 0;
    for (int each = 0; each < operations; each++) {
      PathChoice choice = first();
      avoiding += choice == null ? 0 : 1;
      boolean slow = random.nextInt(100) == 0;
      now += slow ? SECOND : SECOND / 100;
      boolean lost = ended(choice, slow);
      if (lost) {
        PathChoice second = afterSilence();
        now += SECOND / 100;
        ended(second, false);
      }
    }
    assertTrue(avoiding * 1_000L < operations, avoiding + " of " + operations);
  }

  private boolean ended(PathChoice choice, boolean slow) {
    if (choice == null && slow) {
      paths.silent(usual, now);
      return true;
    }
    if (choice == null) {
      paths.alive(usual, now);
    } else if (slow) {
      paths.otherSilent(now);
    } else {
      paths.otherAlive(now);
    }
    return false;
  }

  /**
   * Every event in random order: without silence nothing leaves the usual way, and no two attempts
   * open a connection at the same time.
   */
  @Test
  void holdsInAnyOrder() {
    for (int seed = 0; seed < 2_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      OriginPaths each = new OriginPaths();
      List<WirePath> usuals = new ArrayList<>(List.of(new WirePath(), new WirePath()));
      long time = random.nextLong();
      boolean silence = false;
      boolean opening = false;
      long openedAt = 0;
      for (int step = 0; step < 200; step++) {
        time += random.nextLong(2) == 0 ? random.nextLong(SECOND) : random.nextLong(SECOND / 10);
        WirePath path = usuals.get(random.nextInt(2));
        switch (random.nextInt(6)) {
          case 0 -> {
            each.silent(path, time);
            silence = true;
          }
          case 1 -> each.alive(path, time);
          case 2 -> {
            each.otherAlive(time);
            opening = false;
          }
          case 3 -> {
            each.otherSilent(time);
            opening = false;
          }
          default -> {
            PathChoice choice = each.choose(random.nextBoolean(), path, time);
            assertTrue(choice == null || silence, "seed " + seed);
            if (choice != null && choice.step() == Step.OPEN) {
              assertFalse(opening && time - openedAt < 10 * SECOND, "seed " + seed);
              opening = true;
              openedAt = time;
            }
          }
        }
      }
    }
  }
}
