package dev.steadfast.retry.ordinary;

import java.util.ArrayList;
import java.util.List;

/** The difference of two lists of lines, for a person to read. */
final class Diff {
  private static final int MOST_LINES = 40;

  private Diff() {}

  /** Lines of the plain client begin with a minus sign, those of the wrapped one with a plus. */
  static List<String> of(List<String> plain, List<String> wrapped) {
    int[][] common = new int[plain.size() + 1][wrapped.size() + 1];
    for (int i = plain.size() - 1; i >= 0; i--) {
      for (int j = wrapped.size() - 1; j >= 0; j--) {
        common[i][j] =
            plain.get(i).equals(wrapped.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    List<String> lines = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < plain.size() || j < wrapped.size()) {
      if (i < plain.size() && j < wrapped.size() && plain.get(i).equals(wrapped.get(j))) {
        i++;
        j++;
      } else if (j == wrapped.size()
          || (i < plain.size() && common[i + 1][j] >= common[i][j + 1])) {
        lines.add("- " + plain.get(i++));
      } else {
        lines.add("+ " + wrapped.get(j++));
      }
    }
    if (lines.size() > MOST_LINES) {
      lines = new ArrayList<>(lines.subList(0, MOST_LINES));
      lines.add("  ...");
    }
    return lines;
  }
}
