package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.internal.Digest;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A failure in a log line or a report: class, message and kind. The message comes from anywhere, so
 * what may be a secret is taken out of it: user info and query of a URL, and the idempotency key.
 */
final class FailureText {
  private static final int LONGEST = 160;
  private static final int MOST_READ = 4096;
  private static final Pattern USER_INFO = Pattern.compile("//[^/\\s]*@");
  private static final Pattern QUERY = Pattern.compile("\\?[^\\s\"'<>]+");
  private static final Pattern FRAGMENT = Pattern.compile("(://[^\\s\"'<>#]*)#[^\\s\"'<>]*");
  private static final Pattern NOT_PRINTABLE = Pattern.compile("[\\p{Cntrl}\\s]+");

  private FailureText() {}

  static String of(Throwable failure, @Nullable FailureKind kind, @Nullable String key) {
    String name = failure.getClass().getSimpleName();
    String message = message(failure);
    return name
        + (message == null ? "" : " \"" + clean(message, key) + '"')
        + (kind == null || kind == FailureKind.OTHER ? "" : " (" + print(kind) + ")");
  }

  private static @Nullable String message(Throwable failure) {
    try {
      return failure.getMessage();
    } catch (RuntimeException broken) {
      return null; // it may be any class
    }
  }

  private static String clean(String message, @Nullable String key) {
    String text = message.length() > MOST_READ ? message.substring(0, MOST_READ) : message;
    if (key != null) {
      text = text.replace(key, "key#" + Digest.brief(key));
    }
    text = USER_INFO.matcher(text).replaceAll("//");
    text = QUERY.matcher(text).replaceAll("?...");
    text = FRAGMENT.matcher(text).replaceAll("$1");
    text = NOT_PRINTABLE.matcher(text).replaceAll(" ");
    return text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
  }

  private static String print(FailureKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
