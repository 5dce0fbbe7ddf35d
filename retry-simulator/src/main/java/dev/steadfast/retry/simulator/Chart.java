package dev.steadfast.retry.simulator;

import java.util.function.Function;

/**
 * A chart: what it shows, and how it is described to the library that draws it.
 *
 * @param name names its file
 * @param title what it shows
 * @param about which model it shows and what to see in it
 * @param drawing describes it for a frame
 */
record Chart(String name, String title, String about, Function<Frame, Plot> drawing) {

  /** How much room there is. */
  record Frame(int width, boolean narrow) {
    static final Frame WIDE = new Frame(760, false);
    static final Frame NARROW = new Frame(380, true);

    /** Panels beside each other. */
    int columns(int wide) {
      return narrow ? 1 : wide;
    }
  }

  /** An image of its own. */
  String file() {
    return Svg.titled(name, title, drawing.apply(Frame.WIDE));
  }

  /** A drawing for a page that shows the title. */
  String wide() {
    return Svg.untitled(name, title, drawing.apply(Frame.WIDE));
  }

  /** A drawing for such a page on a phone. */
  String narrow() {
    return Svg.untitled(name + "-narrow", title, drawing.apply(Frame.NARROW));
  }
}
