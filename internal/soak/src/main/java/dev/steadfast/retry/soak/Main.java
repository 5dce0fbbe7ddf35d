package dev.steadfast.retry.soak;

import java.time.Duration;

/** Runs one of the programs. The exit code is 1 if it found a defect. */
public final class Main {
  private Main() {}

  /** Takes the name of the program, and how long or how often it runs. */
  public static void main(String[] args) throws Exception {
    String mode = args.length > 0 ? args[0] : "soak";
    String amount = args.length > 1 ? args[1] : "";
    boolean clean =
        switch (mode) {
          case "soak" -> new Soak(Duration.ofSeconds((long) (60 * number(amount, 20)))).run();
          case "lanes" -> Lanes.run();
          case "streams" -> Streams.run((int) number(amount, 10));
          default ->
              throw new IllegalArgumentException(
                  "the mode must be soak, lanes or streams, not " + mode);
        };
    System.exit(clean ? 0 : 1);
  }

  private static double number(String text, double otherwise) {
    return text.isBlank() ? otherwise : Double.parseDouble(text);
  }
}
