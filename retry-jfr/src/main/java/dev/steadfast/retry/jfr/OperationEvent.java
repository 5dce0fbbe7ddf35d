package dev.steadfast.retry.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** An operation, from its start to its end. Off by default, because each call is one. */
@Name("dev.steadfast.Operation")
@Label("Operation")
@Category("Steadfast")
@Description("A call with all its attempts and waits")
@Enabled(false)
@StackTrace(false)
final class OperationEvent extends OperationPart {
  @Label("Attempts")
  int attempts;

  @Label("Waited")
  @Timespan(Timespan.NANOSECONDS)
  long waited;

  @Label("Reason")
  @Description("Why the operation ended")
  @Nullable String reason;

  @Label("Outcome Unknown")
  @Description("Whether it is unknown what the operation did on the server")
  boolean outcomeUnknown;

  @Label("Replayed")
  @Description("Whether the server had stored the answer for an earlier attempt")
  boolean replayed;
}
