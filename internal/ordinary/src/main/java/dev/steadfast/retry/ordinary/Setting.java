package dev.steadfast.retry.ordinary;

/** Where a table runs: on which OkHttp and on which JDK. */
public enum Setting implements Scope {
  /** OkHttp 4 is on the class path. */
  OKHTTP_4(OkHttpVersion.text().startsWith("4.")),
  /** OkHttp 5 is on the class path. */
  OKHTTP_5(OkHttpVersion.text().startsWith("5.")),
  /** The JDK is older than 21. */
  JDK_17(Runtime.version().feature() < 21),
  /** The JDK is 21 or newer. */
  JDK_25(Runtime.version().feature() >= 21);

  private final boolean here;

  Setting(boolean here) {
    this.here = here;
  }

  /** Whether the table runs there. */
  public boolean isHere() {
    return here;
  }

  static boolean hold(Iterable<Scope> scopes) {
    for (Scope scope : scopes) {
      if (scope instanceof Setting setting && !setting.here) {
        return false;
      }
    }
    return true;
  }
}
