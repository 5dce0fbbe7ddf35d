package dev.steadfast.retry.simulator;

import java.util.List;

/** A model that can be run. */
interface Scenario {
  /** The word that names it on the command line and begins each of its result lines. */
  String name();

  /** A line that says what it shows. */
  String summary();

  /** Its own options, beside those for output. */
  List<Option> options();

  /** Runs it. The same arguments give the same result. */
  Result run(Arguments arguments, Progress progress);
}
