package dev.steadfast.retry.micrometer;

/** The meters. Each has one fixed set of tag keys, which docs/telemetry.md lists. */
enum MeterName {
  OPERATIONS("steadfast.operations", "Operations, from start to end"),
  ATTEMPTS("steadfast.attempts", "Attempts, up to the response head or the failure"),
  RETRIES("steadfast.operation.retries", "Retries per operation, for operations with retries"),
  DELAY("steadfast.retry.delay", "Waits before retries"),
  REFUSED("steadfast.retries.refused", "Operations that failed because a retry was refused"),
  UNKNOWN(
      "steadfast.outcomes.unknown", "Failed operations that may have taken effect, reads left out"),
  REPLAYED(
      "steadfast.outcomes.replayed", "Answers that the server had stored for an earlier attempt"),
  PATHS("steadfast.connections", "Connections that were suspected, proved dead, or found alive"),
  BUDGET("steadfast.budget.available", "Retries that the budget would pay for now");

  private final String text;
  private final String description;

  MeterName(String text, String description) {
    this.text = text;
    this.description = description;
  }

  String text() {
    return text;
  }

  String description() {
    return description;
  }
}
