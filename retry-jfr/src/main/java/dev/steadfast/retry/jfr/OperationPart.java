package dev.steadfast.retry.jfr;

import dev.steadfast.retry.OperationInfo;
import jdk.jfr.Event;
import jdk.jfr.Label;
import org.jspecify.annotations.Nullable;

/** An event that belongs to an operation. A base class: JFR reads the fields of events. */
abstract class OperationPart extends Event {
  @OperationId
  @Label("Operation")
  long operation;

  @Label("Origin")
  @Nullable String origin;

  @Label("Target")
  @Nullable String target;

  /** Ends the event. Returns whether to commit it, once it is complete. */
  boolean ends(long number, OperationInfo info) {
    end();
    operation = number;
    origin = info.origin();
    target = info.label();
    return shouldCommit();
  }
}
