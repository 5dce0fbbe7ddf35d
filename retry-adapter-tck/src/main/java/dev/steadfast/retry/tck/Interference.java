package dev.steadfast.retry.tck;

/** The acts of a user's code within each attempt, between the library and the wire. */
public enum Interference {
  /** There is none. */
  NONE,
  /** Removes the key from the request. */
  DROPS_KEY,
  /** Gives each request a key of its own. */
  MAKES_KEYS,
  /** Makes a POST of the request. */
  MAKES_POST,
  /** Makes a PUT of the request. */
  MAKES_PUT,
  /** Makes an exception of an answer from 400 on. */
  MAPS_ERRORS,
  /** Makes a 429 of an answer from 200 on. */
  LIMITS_ALL,
  /** Logs an exception and throws it again, and adds a header to each request. */
  PASSES_ON,
  /** Fetches a token before each request, by a POST through its chain. */
  FETCHES_TOKEN,
  /** Replaces an exception by another one. */
  WRAPS_FAILURES,
  /** Sends by another client, and makes an exception of an answer from 400 on. */
  SENDS_ELSEWHERE,
  /** Answers a challenge with a new request, which has no key. */
  AUTHENTICATES_ANEW;

  /** Whether the server gets something else than the caller's request. */
  boolean changesRequest() {
    return switch (this) {
      case DROPS_KEY, MAKES_KEYS, MAKES_POST, MAKES_PUT, AUTHENTICATES_ANEW, FETCHES_TOKEN -> true;
      default -> false;
    };
  }
}
