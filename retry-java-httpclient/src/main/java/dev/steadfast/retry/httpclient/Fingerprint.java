package dev.steadfast.retry.httpclient;

/**
 * The part that a body has yielded so far. Immutable.
 *
 * @param bytes how many bytes
 * @param crc their CRC32C
 * @param whole whether the body ended there
 */
record Fingerprint(long bytes, int crc, boolean whole) {
  static final Fingerprint NONE = new Fingerprint(0, 0, false);

  /** The one that says more. */
  static Fingerprint longer(Fingerprint one, Fingerprint other) {
    if (one.whole || one.bytes > other.bytes) {
      return one;
    }
    return other;
  }

  /**
   * Whether both yielded the same. The JDK's cache for the {@code equals} of a record would keep
   * the class loader.
   */
  boolean sameAs(Fingerprint other) {
    return bytes == other.bytes && crc == other.crc && whole == other.whole;
  }
}
