package dev.steadfast.retry.torture;

import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.util.List;

/**
 * Who makes a call: an inbound request with a principal, some of which must not be retried. A call
 * that is repeated comes from another one.
 *
 * @param principal its principal, which is no part of the operation's identity
 * @param retried false if its calls are not to be retried
 */
record Caller(String principal, boolean retried) {
  private static final List<String> PRINCIPALS = List.of("web", "job");
  private static final int OF_OPERATIONS = 5; // one of so many is not to be retried
  private static final String HANDED_BACK = ": handed back; ";

  /** The caller of an operation, for its first call, its second, and so on, from 0. */
  static Caller of(Op operation, int call) {
    boolean retried = Math.floorMod(operation.intent().hashCode(), OF_OPERATIONS) > 0;
    return new Caller(PRINCIPALS.get(call % PRINCIPALS.size()), retried);
  }

  /** Enters its scope; close it on this thread. */
  RetryScope enter() {
    return RetryScope.enter(
        header -> !retried && header.equalsIgnoreCase("Do-Not-Retry") ? "true" : null,
        principal,
        ScopeOptions.defaults());
  }

  /** The answer to this caller, with its name. */
  PaymentClient.Told told(PaymentClient.Told told) {
    String how = told.handedBack() ? HANDED_BACK : ": ";
    return told.withNote(principal + how + told.note());
  }

  /** Whether a stored answer was handed back to somebody who did not begin the operation. */
  static boolean isHandedToAnother(ToldLog.Event event, Facts.Row row) {
    return event.note().contains(HANDED_BACK)
        && !event.note().startsWith(row.caller() + HANDED_BACK);
  }
}
