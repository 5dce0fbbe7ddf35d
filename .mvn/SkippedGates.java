/** Prints what a build on an older JDK has left out. */
final class SkippedGates {
  public static void main(String[] arguments) {
    System.out.println(
        "Static gates (format, Error Prone, NullAway, Javadoc) skipped: they run on JDK 25 or"
            + " newer.");
  }
}
