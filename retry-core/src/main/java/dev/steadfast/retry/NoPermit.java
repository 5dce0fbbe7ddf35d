package dev.steadfast.retry;

/** The permit that holds nothing. */
enum NoPermit implements Guard.Permit {
  NONE;

  @Override
  public void succeeded(long elapsedNanos) {}

  @Override
  public void failed(Guard.Failure how, Throwable failure) {}

  @Override
  public void released() {}
}
