package dev.steadfast.retry.spring.boot;

import java.util.List;
import java.util.regex.Pattern;
import org.springframework.boot.test.system.CapturedOutput;

/** What Steadfast warns of in the log of an application. */
final class Warnings {
  private static final Pattern LINE = Pattern.compile("WARN .* dev\\.steadfast\\.retry +: (.*)");

  private Warnings() {}

  /** The messages, in their order. */
  static List<String> in(CapturedOutput output) {
    return LINE.matcher(output).results().map(each -> each.group(1)).toList();
  }
}
