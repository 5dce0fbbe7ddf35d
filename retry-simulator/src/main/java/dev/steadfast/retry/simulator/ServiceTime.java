package dev.steadfast.retry.simulator;

import java.util.function.ToDoubleFunction;

/**
 * How long the server works for one call, without the time in its queue.
 *
 * @param text how it is written on the command line
 * @param meanNanos the mean; 0 where the number of workers decides it
 * @param shape draws a duration as a multiple of the mean
 */
record ServiceTime(String text, double meanNanos, ToDoubleFunction<Draws> shape) {
  static final ServiceTime EXPONENTIAL =
      new ServiceTime("exponential", 0, draws -> draws.exponential(1));

  private static final ServiceTime FIXED = new ServiceTime("fixed", 0, draws -> 1);
  private static final double NORMAL_99 = 2.3263479;
  private static final String FORMS =
      "exponential, fixed, or median..99 % from 1us..1us to 1h..1h, the second at most 1000 times"
          + " the first, as in 8ms..60ms";

  static ServiceTime parse(String text) {
    return switch (text) {
      case "exponential" -> EXPONENTIAL;
      case "fixed" -> FIXED;
      default -> logNormal(text);
    };
  }

  private static ServiceTime logNormal(String text) {
    int dots = text.indexOf("..");
    double median = dots < 0 ? -1 : Durations.nanos(text.substring(0, dots));
    double most = dots < 0 ? -1 : Durations.nanos(text.substring(dots + 2));
    boolean possible =
        median >= 1_000
            && most >= median
            && most <= 1000 * median
            && most <= 3_600.0 * Durations.SECOND;
    if (!possible) {
      throw BadInputException.of("--latency", text, FORMS);
    }
    double sigma = StrictMath.log(most / median) / NORMAL_99;
    double toMean = sigma * sigma / 2;
    return new ServiceTime(
        text,
        median * StrictMath.exp(toMean),
        draws -> StrictMath.exp(sigma * draws.gaussian() - toMean));
  }
}
