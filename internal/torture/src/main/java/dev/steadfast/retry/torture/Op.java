package dev.steadfast.retry.torture;

/**
 * An operation of the workload, as the seed gives it.
 *
 * @param intent its number, which is in the body of its request and is its key in the journal
 * @param client who calls it
 * @param atMillis when, counted from the start of the run
 * @param mix its kind
 * @param mode how it is begun
 * @param amount what is paid; the server declines it if it is too much
 * @param style how it is called
 * @param fault what goes wrong; null for nothing of its own
 */
record Op(
    String intent,
    int client,
    long atMillis,
    Mix mix,
    Mode mode,
    long amount,
    Style style,
    Fault fault) {

  /** How an operation is begun. */
  enum Mode {
    /** By a call. */
    CALL,
    /** Enlisted in a transaction of the caller's, and delivered by resuming. */
    ENLIST,
    /** Enlisted, and called at once. */
    ENLIST_AND_CALL;

    boolean enlists() {
      return this != CALL;
    }
  }

  /**
   * How an operation is called.
   *
   * @param async without a waiting thread
   * @param callsAgain whether the caller calls it again after its process died; else only resuming
   *     settles it
   */
  record Style(boolean async, boolean callsAgain) {}

  private static final String NOTHING = "-";

  /** As a line of a file. */
  String line() {
    return String.join(
        "\t",
        intent,
        Integer.toString(client),
        Long.toString(atMillis),
        mix.name(),
        mode.name(),
        Long.toString(amount),
        Boolean.toString(style.async),
        Boolean.toString(style.callsAgain),
        fault == null ? NOTHING : fault.name());
  }

  static Op of(String line) {
    String[] parts = line.split("\t", -1);
    return new Op(
        parts[0],
        Integer.parseInt(parts[1]),
        Long.parseLong(parts[2]),
        Mix.valueOf(parts[3]),
        Mode.valueOf(parts[4]),
        Long.parseLong(parts[5]),
        new Style(Boolean.parseBoolean(parts[6]), Boolean.parseBoolean(parts[7])),
        parts[8].equals(NOTHING) ? null : Fault.valueOf(parts[8]));
  }

  /** The body of its request. */
  String form() {
    return "intent=" + intent + "&account=acme&amount=" + amount;
  }
}
