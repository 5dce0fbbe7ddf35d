package dev.steadfast.retry.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A wait before a retry. It is on by default, because the budget keeps retries rare. */
@Name("dev.steadfast.Wait")
@Label("Wait")
@Category("Steadfast")
@Description("A wait before a retry")
@StackTrace(false)
final class WaitEvent extends OperationPart {
  @Label("Delay")
  @Description("The length that was planned; the duration of the event is the real one")
  @Timespan(Timespan.NANOSECONDS)
  long delay;

  @Label("Why")
  @Description("What the planned length comes from")
  @Nullable String why;
}
