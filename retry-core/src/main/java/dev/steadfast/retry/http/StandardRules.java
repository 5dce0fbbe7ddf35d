package dev.steadfast.retry.http;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.internal.Checks;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The built-in classification. Immutable and safe for use by many threads.
 *
 * <p>A request that may have been processed is retried only if it is replayable as it went over the
 * wire: an idempotent method (RFC 9110 section 9.2.2, RFC 10008), an idempotency key that the user
 * configured, or a statement of the caller. These rules do not decide that. They only say when the
 * server did nothing.
 *
 * <table>
 *   <caption>Which answers are retried</caption>
 *   <tr><th>answer</th><th>retried</th></tr>
 *   <tr><td>408, 500, 502, 503, 504, 520 to 524, 529, 598</td><td>if replayable</td></tr>
 *   <tr><td>429</td><td>always; with {@link Builder#strictThrottling} if replayable</td></tr>
 *   <tr><td>425</td><td>always, once (RFC 8470 section 5.2)</td></tr>
 *   <tr><td>503 that proves the request unprocessed (Finagle's nack)</td><td>always</td></tr>
 *   <tr><td>those of {@link Builder#refusedBy(int...)} and {@link
 *       Builder#refusedBy(int, String)}</td><td>always</td></tr>
 *   <tr><td>200 with an event stream that begins with an error, if one is named for the status
 *       200</td><td>if replayable</td></tr>
 *   <tr><td>409</td><td>if replayable and the server gives a delay or says to retry</td></tr>
 *   <tr><td>422 after a key, 417</td><td>never</td></tr>
 *   <tr><td>any that is marked as the stored answer to an earlier request</td><td>never</td></tr>
 *   <tr><td>any other</td><td>if the server says to retry and the request is replayable</td></tr>
 * </table>
 */
public final class StandardRules implements HttpClassifier {
  private static final List<String> MONEY_IS_SPENT =
      List.of(
          "insufficient_quota",
          "credit_balance_exhausted",
          "organization_spend_limit_exceeded",
          "organization_usage_limit_exceeded",
          "project_spend_limit_exceeded",
          "enforced_spend_limit_reached");
  private static final StandardRules DEFAULTS = builder().build();
  private static final int OK = 200;

  private final boolean strictThrottling;
  private final boolean trust503WithRetryAfter;
  private final boolean trustShouldRetryForUnsafeMethods;
  private final boolean retry409WhenKeyed;
  private final boolean retryBrokenBody;
  private final Set<Integer> alsoRetried;
  private final Set<Integer> neverRetried;
  private final Set<Integer> refusals;
  private final Map<Integer, Set<String>> typesRefused; // types of error, by status
  private final Map<Integer, Set<String>> typesFinal;

  private StandardRules(Builder builder) {
    this.strictThrottling = builder.strictThrottling;
    this.trust503WithRetryAfter = builder.trust503WithRetryAfter;
    this.trustShouldRetryForUnsafeMethods = builder.trustShouldRetryForUnsafeMethods;
    this.retry409WhenKeyed = builder.retry409WhenKeyed;
    this.retryBrokenBody = builder.retryBrokenBody;
    this.alsoRetried = Set.copyOf(builder.alsoRetried);
    this.neverRetried = Set.copyOf(builder.neverRetried);
    this.refusals = Set.copyOf(builder.refusals);
    this.typesRefused = copy(builder.typesRefused);
    this.typesFinal = copy(builder.typesFinal);
  }

  /** {@return the shared rules that apply where nothing is configured} */
  public static StandardRules defaults() {
    return DEFAULTS;
  }

  /** {@return a builder that starts with the defaults} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts with the rules for APIs that answer prompts and charge for them. They know the types of
   * error that the vendors document. Add others, and your own claims.
   *
   * <table>
   *   <caption>What is added to the defaults</caption>
   *   <tr><th>answer</th><th>meaning</th><th>page</th></tr>
   *   <tr><td>429 {@code insufficient_quota}, {@code credit_balance_exhausted}, {@code
   *       organization_spend_limit_exceeded}, {@code organization_usage_limit_exceeded}, {@code
   *       project_spend_limit_exceeded}</td><td>money or a limit of it is used up: never
   *       retried</td><td><a
   *       href="https://help.openai.com/en/articles/6614457-troubleshooting-api-usage-and-spend-limits">OpenAI,
   *       Troubleshooting API usage and spend limits</a></td></tr>
   *   <tr><td>429 {@code enforced_spend_limit_reached}</td><td>the same</td><td><a
   *       href="https://platform.claude.com/docs/en/api/errors">Anthropic, Errors</a></td></tr>
   * </table>
   *
   * @return a new builder
   */
  public static Builder forAiApis() {
    Builder rules = builder();
    for (String spent : MONEY_IS_SPENT) {
      rules.neverRetry(429, spent);
    }
    return rules;
  }

  private static Map<Integer, Set<String>> copy(Map<Integer, Set<String>> types) {
    Map<Integer, Set<String>> copy = new TreeMap<>();
    types.forEach((status, names) -> copy.put(status, Set.copyOf(names)));
    return copy;
  }

  @Override
  public Set<Integer> readsBodyOf() {
    Set<Integer> statuses = new TreeSet<>(typesRefused.keySet());
    statuses.addAll(typesFinal.keySet());
    return statuses;
  }

  /** Whether the body names one of the types of error that are configured for its status. */
  private static boolean names(ResponseView response, Map<Integer, Set<String>> types) {
    Set<String> asked = types.isEmpty() ? null : types.get(response.status());
    if (asked == null) {
      return false;
    }
    Set<String> named =
        response.status() == OK
            ? ErrorTypes.ofEvent(response.errorEvent().orElse(""))
            : ErrorTypes.of(response.bodyText().orElse(""));
    return !Collections.disjoint(asked, named);
  }

  @Override
  public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
    int status = response.status();
    boolean errorEvent = response.errorEvent().isPresent();
    if (status >= 200 && status < 400 && !errorEvent) {
      return Verdict.accepted();
    }
    FailureKind kind = refusals.contains(status) ? refusedKind(status) : kind(status);
    if (names(response, typesFinal)) {
      return permanent(StopReason.NOT_RETRYABLE, kind, signals.serverDelay());
    }
    if (!signals.replayed() && names(response, typesRefused)) {
      return Verdict.retryable(refusedKind(status)).withNothingDone();
    }
    if (status == 422 && operation.keyed()) {
      return permanent(StopReason.KEY_REUSED, kind, signals.serverDelay());
    }
    boolean passing = errorEvent || transientStatus(status, operation, signals);
    if (status == 417 || signals.replayed() || !passing) {
      return permanent(StopReason.NOT_RETRYABLE, kind, signals.serverDelay());
    }
    Verdict.Retryable verdict = Verdict.retryable(kind);
    Verdict.Retryable claimed = didNothing(status, signals) ? verdict.withNothingDone() : verdict;
    return status == 425 ? claimed.withOneRetry() : claimed;
  }

  /** Whether another attempt may get another answer. */
  private boolean transientStatus(int status, OperationView operation, Signals signals) {
    if (neverRetried.contains(status)) {
      return false;
    }
    if (signals.saysRetry() || alsoRetried.contains(status) || refusals.contains(status)) {
      return true;
    }
    return switch (status) {
      case 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 598 -> true;
      // Still in progress, already created, or a version conflict: only the server knows which.
      case 409 -> signals.serverDelay().present() || (retry409WhenKeyed && operation.keyed());
      default -> false;
    };
  }

  /**
   * Whether these rules claim that the server did nothing, by convention or by option. Where the
   * answer itself proves that, no claim is needed.
   */
  private boolean didNothing(int status, Signals signals) {
    if (signals.saysRetry() && trustShouldRetryForUnsafeMethods) {
      return true;
    }
    if (refusals.contains(status)) {
      return true;
    }
    return switch (status) {
      case 429 -> !strictThrottling;
      // A gateway can answer 503 after it passed the request on.
      case 503 -> trust503WithRetryAfter && signals.serverDelay().present();
      default -> false;
    };
  }

  @Override
  public Verdict onFailure(OperationView operation, TransportFailure failure) {
    StopReason stop = failure.stop();
    if (stop != null) {
      return permanent(stop, failure.kind(), ServerDelay.none());
    }
    if (failure.kind() == FailureKind.BROKEN_BODY && !retryBrokenBody) {
      return permanent(StopReason.NOT_RETRYABLE, failure.kind(), ServerDelay.none());
    }
    Verdict.Retryable verdict = Verdict.retryable(failure.kind());
    // A name that does not resolve rarely does a moment later.
    return failure.kind() == FailureKind.DNS ? verdict.withOneRetry() : verdict;
  }

  /** The kind of failure that a status means by itself. */
  static FailureKind kind(int status) {
    return switch (status) {
      case 409 -> FailureKind.CONFLICT;
      case 425 -> FailureKind.TOO_EARLY;
      case 429, 529 -> FailureKind.THROTTLED;
      case 503 -> FailureKind.UNAVAILABLE;
      default -> FailureKind.ERROR_STATUS;
    };
  }

  /** A server that refuses with such a status has too much to do. */
  private static FailureKind refusedKind(int status) {
    return status == 503 || status == OK ? FailureKind.THROTTLED : kind(status);
  }

  private static Verdict permanent(StopReason reason, FailureKind kind, ServerDelay serverDelay) {
    return new Verdict.Permanent(reason, kind, serverDelay);
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private boolean strictThrottling;
    private boolean trust503WithRetryAfter;
    private boolean trustShouldRetryForUnsafeMethods;
    private boolean retry409WhenKeyed;
    private boolean retryBrokenBody = true;
    private final Set<Integer> alsoRetried = new TreeSet<>();
    private final Set<Integer> neverRetried = new TreeSet<>();
    private final Set<Integer> refusals = new TreeSet<>();
    private final Map<Integer, Set<String>> typesRefused = new TreeMap<>();
    private final Map<Integer, Set<String>> typesFinal = new TreeMap<>();

    private Builder() {}

    /**
     * Whether a 429 too is retried only if the request is replayable. Default false: a rate limiter
     * answers before the work, though that is convention and no guarantee.
     *
     * @param strict true for the strict mode
     * @return this
     */
    public Builder strictThrottling(boolean strict) {
      this.strictThrottling = strict;
      return this;
    }

    /**
     * Whether a 503 with a delay proves that the request was not processed. Dangerous behind
     * gateways, which can answer so after passing the request on. Default false.
     *
     * @param trust true if this server means it
     * @return this
     */
    public Builder trust503WithRetryAfter(boolean trust) {
      this.trust503WithRetryAfter = trust;
      return this;
    }

    /**
     * Whether a server that says to retry may have any request again, replayable or not. Dangerous
     * unless the server knows that it did nothing. Default false.
     *
     * @param trust true if this server means it
     * @return this
     */
    public Builder trustShouldRetryForUnsafeMethods(boolean trust) {
      this.trustShouldRetryForUnsafeMethods = trust;
      return this;
    }

    /**
     * Whether a 409 without a delay is retried when the request carries a key: for servers that
     * answer so while the first attempt is in progress, and send no server delay. Default false, as
     * 409 also means "already created" and "version conflict".
     *
     * @param retry true for such a server
     * @return this
     */
    public Builder retry409WhenKeyed(boolean retry) {
      this.retry409WhenKeyed = retry;
      return this;
    }

    /**
     * Whether to retry if the body of an answer breaks while the client collects it and the request
     * is replayable. Default true.
     *
     * @param retry false to get the exception instead
     * @return this
     */
    public Builder retryBrokenBody(boolean retry) {
      this.retryBrokenBody = retry;
      return this;
    }

    /**
     * A further status that is retried if the request is replayable. Default: none.
     *
     * @param status 400 to 599
     * @return this
     * @throws IllegalArgumentException if the status is out of its range
     */
    public Builder alsoRetry(int status) {
      alsoRetried.add(failureStatus(status));
      neverRetried.remove(status);
      refusals.remove(status);
      return this;
    }

    /**
     * A status that is never retried, whatever the server says. Default: none.
     *
     * @param status 400 to 599
     * @return this
     * @throws IllegalArgumentException if the status is out of its range
     */
    public Builder neverRetry(int status) {
      neverRetried.add(failureStatus(status));
      alsoRetried.remove(status);
      refusals.remove(status);
      return this;
    }

    /**
     * Statuses by which this server says that it did not process the request, such as 529 of an AI
     * API that is overloaded. An answer with one of them is retried whatever the method is, also
     * without a key. Dangerous for a status that a gateway in front of the server sends too, such
     * as 503: it can answer so after it has passed the request on. Default: none.
     *
     * <p>A refusal with 503 or 529 is an overload: {@link FailureKind#THROTTLED}.
     *
     * @param statuses each from 400 to 599
     * @return this
     * @throws IllegalArgumentException if there is none, or one is out of its range
     */
    public Builder refusedBy(int... statuses) {
      Checks.atLeast("number of statuses", statuses.length, 1);
      for (int status : statuses) {
        refusals.add(failureStatus(status));
        alsoRetried.remove(status);
        neverRetried.remove(status);
      }
      return this;
    }

    /**
     * A status and a type of error in the body, by which together this server says that it did not
     * process the request, such as 529 and {@code overloaded_error}. Such an answer is retried
     * whatever the method is, also without a key. A gateway in front of the server, which sends the
     * status by itself, does not send the type. Default: none.
     *
     * <p>The body is JSON with an object {@code error}, anywhere in it: the type is its member
     * {@code type}, {@code code} or {@code status}, or a member {@code error_code} within it.
     * Streams, bodies above 64 KiB, and those that come too late or break off are judged by their
     * status alone. The caller gets the body unread. A refusal with 503, 529 or 200 is an overload:
     * {@link FailureKind#THROTTLED}.
     *
     * <p>A type for the status 200 is that of an error that begins an event stream ({@code
     * text/event-stream}). Then a stream is accepted only with its first event, and until then the
     * attempt goes on, with its timeout. Comments, {@code ping}, {@code message_start} and what
     * {@link HttpClassifier#readsBodyOf} names beside them do not count as events. An error of a
     * type that is not named here or by {@link #neverRetry(int, String)} is retried if the request
     * is replayable. Nothing is retried after the first event. Do not use it where streams may be
     * silent for long, as it waits for their first event.
     *
     * @param status 400 to 599, or 200
     * @param errorType the type, compared exactly
     * @return this
     * @throws IllegalArgumentException if the status is out of its range or the type is empty
     */
    public Builder refusedBy(int status, String errorType) {
      return typed(status, errorType, typesRefused, typesFinal);
    }

    /**
     * A status and a type of error in the body that are never retried together, whatever the server
     * says: such as 429 and {@code insufficient_quota} of an account that has used up its money.
     * The body is read as for {@link #refusedBy(int, String)}, and the first event of a stream with
     * the status 200. Default: none.
     *
     * @param status 400 to 599, or 200
     * @param errorType the type, compared exactly
     * @return this
     * @throws IllegalArgumentException if the status is out of its range or the type is empty
     */
    public Builder neverRetry(int status, String errorType) {
      return typed(status, errorType, typesFinal, typesRefused);
    }

    private Builder typed(
        int status,
        String errorType,
        Map<Integer, Set<String>> types,
        Map<Integer, Set<String>> others) {
      String type = Checks.notBlank("errorType", errorType);
      types.computeIfAbsent(typedStatus(status), any -> new TreeSet<>()).add(type);
      others.getOrDefault(status, new TreeSet<>()).remove(type);
      return this;
    }

    /** {@return immutable rules} */
    public StandardRules build() {
      return new StandardRules(this);
    }

    private static int typedStatus(int status) {
      if (status != OK && (status < 400 || status > 599)) {
        throw Checks.bad("status", status, "400 to 599, or 200");
      }
      return status;
    }

    private static int failureStatus(int status) {
      return Checks.within("status", status, 400, 599);
    }
  }
}
