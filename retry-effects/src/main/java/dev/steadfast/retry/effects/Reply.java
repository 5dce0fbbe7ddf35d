package dev.steadfast.retry.effects;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.http.ResponseView;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The result of one request: an answer with its whole body, an answer whose body broke, or a
 * failure. Immutable.
 */
final class Reply implements ResponseView {
  private static final byte[] NO_BODY = {};

  // RFC 9110 section 8.8.3, without obs-text, which not every client can send.
  private static final Pattern STRONG = Pattern.compile("\"[\\x21\\x23-\\x7e]*\"");

  /**
   * The head of an answer.
   *
   * @param redirected whether a redirect turned the request into one with another method, as 301
   *     and 302 turn a POST into a GET. Then the answer does not tell what became of the POST. It
   *     does after 303 (RFC 9110 section 15.4.4), so that does not count
   */
  record Head(int status, Map<String, List<String>> headers, boolean redirected) {
    private static final Head NONE = new Head(-1, Map.of(), false);
  }

  private final Head head;
  private final byte[] body;
  private final @Nullable Throwable failure;
  private final @Nullable RetryReport report;

  private Reply(Head head, byte[] body, @Nullable Throwable failure, @Nullable RetryReport report) {
    this.head = head;
    this.body = body;
    this.failure = failure;
    this.report = report;
  }

  static Reply answered(Head head, byte[] body, RetryReport report) {
    return new Reply(head, body, null, report);
  }

  /** An answer of which only the head came; what it says holds. */
  static Reply broken(Head head, Throwable failure, RetryReport report) {
    return new Reply(head, NO_BODY, failure, report);
  }

  static Reply failed(Throwable failure) {
    return new Reply(Head.NONE, NO_BODY, failure, RetryReport.of(failure).orElse(null));
  }

  boolean answered() {
    return head.status >= 0;
  }

  boolean successful() {
    return head.status >= 200 && head.status <= 299;
  }

  /** Whether the server says that it did what was asked. */
  boolean accepted() {
    return answered() && effect() == Effect.SUCCEEDED;
  }

  /** Whether the server refuses what was sent. */
  boolean refused() {
    return AnswerProof.of(head.status, "", false).saysNo() && !head.redirected;
  }

  /**
   * Whether a redirect led to another method, whose answer tells nothing of the first request.
   *
   * @param status the status of the redirect
   * @param method the method of the request that was redirected
   * @param next the method of the request that followed
   */
  static boolean redirected(int status, String method, String next) {
    return EarlierRequest.before(status, method, next) == EarlierRequest.UNANSWERED;
  }

  /** The status, -1 without an answer. */
  @Override
  public int status() {
    return head.status;
  }

  @Override
  public List<String> headers(String name) {
    for (Map.Entry<String, List<String>> each : head.headers.entrySet()) {
      if (each.getKey().equalsIgnoreCase(name)) {
        return each.getValue();
      }
    }
    return List.of();
  }

  /** The first value of a header, null if it is absent. */
  @Nullable String header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? null : values.get(0);
  }

  @Override
  public Map<String, List<String>> headerMap() {
    return head.headers;
  }

  /** A copy of the bytes. */
  byte[] body() {
    return body.clone();
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Nullable RetryReport report() {
    return report;
  }

  /** The known effect of this request, and of no other. */
  Effect effect() {
    if (report == null || head.redirected) {
      return Effect.UNKNOWN;
    }
    if (answered()) {
      return report.effect(head.status);
    }
    return report.serverMayHaveActed() ? Effect.UNKNOWN : Effect.NEVER_SENT;
  }

  /**
   * The {@code ETag} for an {@code If-Match}, which compares strongly (RFC 9110 section 13.1.1): a
   * weak one would never match.
   *
   * @return the entity tag as it came; null if there is none, more than one, or no strong one
   */
  @Nullable String strongTag() {
    List<String> tags = headers("ETag");
    String tag = tags.size() == 1 ? tags.get(0).trim() : "";
    return STRONG.matcher(tag).matches() ? tag : null;
  }

  @Override
  public String toString() {
    return answered() ? "status " + head.status : String.valueOf(failure);
  }
}
