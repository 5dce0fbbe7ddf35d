package dev.steadfast.retry;

import java.util.SplittableRandom;

/** Damages texts, for parsers that must survive any text. */
public final class Mutations {
  private static final String ALPHABET =
      "0123456789nusmhdx.,;=()-+E eNaIfty_\t\n\u0000\u00e9\ud83d\ude00\uffff";

  private Mutations() {}

  /** The text with one to four characters removed, added, replaced, or a part of it repeated. */
  public static String mutate(String text, SplittableRandom random) {
    StringBuilder mutant = new StringBuilder(text);
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(mutant.length() + 1);
      int end = Math.min(mutant.length(), at + random.nextInt(4));
      char any = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
      switch (random.nextInt(5)) {
        case 0 -> mutant.insert(at, any);
        case 1 -> mutant.delete(at, end);
        case 2 -> mutant.replace(at, Math.min(mutant.length(), at + 1), String.valueOf(any));
        case 3 -> mutant.insert(at, mutant.substring(at, end));
        default -> mutant.setLength(at);
      }
    }
    return mutant.toString();
  }
}
