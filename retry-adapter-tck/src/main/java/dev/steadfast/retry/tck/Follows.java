package dev.steadfast.retry.tck;

/** The messages that a client follows by itself, within one attempt. */
public enum Follows {
  /** The first answer is the answer. */
  NOTHING,
  /** Redirects, on the same origin here. */
  REDIRECTS,
  /** Challenges: its authenticator answers a 401 with the {@code Basic} scheme. */
  CHALLENGES
}
