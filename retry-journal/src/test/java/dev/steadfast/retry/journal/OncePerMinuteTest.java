package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Which lines are logged; in virtual time. */
class OncePerMinuteTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final String BANK = "https://bank.example:443";

  private long now;
  private final OncePerMinute log = new OncePerMinute(() -> now);

  @Test
  void theFirstIsToldAndLaterOnesWithTheNextMinute() {
    assertEquals(1, log.happened(BANK, 1));
    assertEquals(0, log.happened(BANK, 1));
    assertEquals(2, log.happened("https://post.example:443", 2));
    now += MINUTE - 1;
    assertEquals(0, log.happened(BANK, 3));
    now++;
    assertEquals(5, log.happened(BANK, 1));
    assertEquals(0, log.happened(BANK, 1));
  }

  @Test
  void itForgetsTheTopicsOfLongAgo() {
    log.happened(BANK, 1);
    for (int i = 0; i < 1_000; i++) {
      log.happened("https://" + i + ".example:443", 1);
    }
    assertEquals(1, log.happened(BANK, 1));
  }
}
