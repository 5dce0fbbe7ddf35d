package dev.steadfast.retry;

/** Holds nothing, and so has nothing to give back. */
enum NoPermit implements Guard.Permit {
  NONE;

  @Override
  public void succeeded(long elapsedNanos) {}

  @Override
  public void failed(Guard.Failure how, Throwable failure) {}

  @Override
  public void released() {}
}
