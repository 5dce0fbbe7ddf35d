package dev.steadfast.retry.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An attempt, up to its response head or failure. Off by default, because each call has one. */
@Name("dev.steadfast.Attempt")
@Label("Attempt")
@Category("Steadfast")
@Description("An attempt, up to its response head or failure")
@Enabled(false)
@StackTrace(false)
final class AttemptEvent extends OperationPart {
  @Label("Number")
  @Description("1 for the first attempt")
  int number;

  @Label("Outcome")
  @Description("The status, or the name of the exception")
  @Nullable String outcome;

  @Label("Failure Kind")
  @Description("What went wrong, or null")
  @Nullable String kind;

  @Label("Disposition")
  @Description("What became of the request: unsent, refused, answered or unknown")
  @Nullable String disposition;
}
