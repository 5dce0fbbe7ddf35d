package dev.steadfast.retry.simulator;

import java.util.Map;
import java.util.function.Function;

/**
 * A chart: what it shows, and how it is described to the library that draws it.
 *
 * @param name names its file
 * @param title what it shows
 * @param about which model it shows and what to see in it
 * @param drawing describes it for a frame
 */
record Chart(
    String name, String title, String about, Function<Frame, Map<String, Object>> drawing) {

  /** How much room there is. */
  record Frame(int width, int height, boolean narrow) {
    static Frame wide(int height) {
      return new Frame(760, height, false);
    }

    static Frame narrow(int height) {
      return new Frame(380, height, true);
    }

    /** Panels beside each other. */
    int columns(int wide) {
      return narrow ? 1 : wide;
    }
  }

  /** For a page or a screen. */
  String wide() {
    return Svg.of(name, title, drawing.apply(Frame.wide(0)));
  }

  /** For a phone. */
  String narrow() {
    return Svg.of(name + "-narrow", title, drawing.apply(Frame.narrow(0)));
  }
}
