package dev.steadfast.retry;

/**
 * Why an attempt went over another connection than the client's usual one.
 *
 * <p>A later version may add values, so a switch over them needs a default.
 */
public enum OtherPath {
  /** The attempt before it got no answer within its time, and nothing came on its connection. */
  SILENT_CONNECTION,
  /** Others got no answer either, while another connection to the same origin answered. */
  DEAD_CONNECTION
}
