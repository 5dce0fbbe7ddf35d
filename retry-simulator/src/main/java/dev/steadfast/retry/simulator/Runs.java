package dev.steadfast.retry.simulator;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Runs that do not depend on each other, on as many threads as there are processors. The result
 * does not depend on which of them ends first.
 */
final class Runs {
  private Runs() {}

  /** One result per run, in the order of the runs; each run is a step of the progress. */
  static <T> List<T> each(Draws[] draws, Progress progress, Function<Draws, T> run) {
    return each(
        draws,
        each -> {
          T result = run.apply(each);
          progress.step();
          return result;
        });
  }

  /** One result per run, in the order of the runs. */
  static <T> List<T> each(Draws[] draws, Function<Draws, T> run) {
    return IntStream.range(0, draws.length).parallel().mapToObj(i -> run.apply(draws[i])).toList();
  }
}
