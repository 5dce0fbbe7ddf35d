package dev.steadfast.retry.torture;

/**
 * An operation of the workload.
 *
 * @param intent the number in the body of its request, and its key in the journal
 * @param client the client that calls it
 * @param atMillis when it is called, from the start of the run
 * @param kind its kind
 * @param mode how it is begun
 * @param amount the amount to pay; the server declines it if it is too large
 * @param style how it is called
 * @param fault the fault that meets it; null for none
 */
record Op(
    String intent,
    int client,
    long atMillis,
    OperationKind kind,
    Mode mode,
    long amount,
    Style style,
    Fault fault) {

  /** How an operation is begun. */
  enum Mode {
    /** By a call. */
    CALL,
    /** Enlisted in the caller's transaction, and delivered by resuming. */
    ENLIST,
    /** Enlisted, and called right after the commit. */
    ENLIST_AND_CALL;

    boolean enlists() {
      return this != CALL;
    }
  }

  /**
   * How an operation is called.
   *
   * @param async whether the call is asynchronous
   * @param callsAgain whether the caller calls it again after its process died; otherwise only
   *     resuming settles it
   */
  record Style(boolean async, boolean callsAgain) {}

  private static final String NOTHING = "-";
  private static final int ACCOUNTS = 5;
  private static final int SEQUENCES = 2;

  /** As a line of a file. */
  String line() {
    return String.join(
        "\t",
        intent,
        Integer.toString(client),
        Long.toString(atMillis),
        kind.name(),
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
        OperationKind.valueOf(parts[3]),
        Mode.valueOf(parts[4]),
        Long.parseLong(parts[5]),
        new Style(Boolean.parseBoolean(parts[6]), Boolean.parseBoolean(parts[7])),
        parts[8].equals(NOTHING) ? null : Fault.valueOf(parts[8]));
  }

  /** The body of its request. */
  String form() {
    return "intent=" + intent + "&account=" + account() + "&amount=" + amount;
  }

  /** The account that pays. */
  String account() {
    return "account-" + Math.floorMod(intent.hashCode(), ACCOUNTS);
  }

  /**
   * The sequence in which it is delivered; null for none. Half of the enlisted operations have one,
   * if nobody waits for them, and none blocks others.
   */
  String sequence() {
    int number = Math.floorMod(intent.hashCode(), 2 * SEQUENCES);
    boolean ordered = number < SEQUENCES && mode == Mode.ENLIST && kind == OperationKind.KEYED;
    return ordered ? "sequence-" + number : null;
  }

  /** Another request under the same name and key. */
  Op changed() {
    return with(amount + 1, atMillis);
  }

  /** The same operation at another time. */
  Op at(long millis) {
    return with(amount, millis);
  }

  private Op with(long otherAmount, long otherMillis) {
    return new Op(intent, client, otherMillis, kind, mode, otherAmount, style, fault);
  }
}
