package dev.steadfast.retry.ordinary;

import java.net.URI;

/** A server on loopback that records what it receives. */
public interface Server extends AutoCloseable {
  /** An address of this server; the path begins with a slash. */
  URI uri(String path);

  /** Waits until no request is under way, so that the record is whole. */
  void settle() throws InterruptedException;

  /** Has the ports replaced by names. */
  void nameIn(Observation seen);

  /** Notes what was received. */
  void report(Observation seen, boolean ordered);

  @Override
  void close();
}
