package dev.steadfast.retry;

/** One account for all origins. */
record SharedBudget(RetryBudget.Account one, String text) implements RetryBudget {
  @Override
  public Account account(String origin) {
    return one;
  }

  @Override
  public String toString() {
    return text;
  }
}
