package dev.steadfast.retry.http;

import dev.steadfast.retry.Exchange;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPlan;
import dev.steadfast.retry.SendState;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Surroundings;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * One logical call: its key, its headers, and what the outcomes of its attempts mean. For authors
 * of adapters. Immutable after construction.
 */
public final class HttpOperation {
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"); // RFC 9110 section 9.2.2
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final HttpRetry retry;
  private final RetryPlan plan;
  private final OperationInfo info;
  private final OperationView view;
  private final Map<String, String> headers;
  private final @Nullable String keyHeader;
  private final @Nullable AttemptHeader attemptHeader;
  private final RetryOptions options;
  private final @Nullable Propagation propagation; // null: nothing to tell this origin

  HttpOperation(HttpRetry retry, RequestView request, RetryOptions options) {
    this.retry = retry;
    Surroundings surroundings = Surroundings.current();
    this.plan = retry.plan().withPolicy(options.policy(retry.policy())).within(surroundings);
    this.options = options;
    Key key = Key.of(retry.idempotencyKeys().orElse(null), request, options, this);
    this.keyHeader = key.present() ? key.header() : null;
    this.headers = stableHeaders(request, key);
    this.attemptHeader = attemptHeader(retry.attemptHeader(), request, headers);
    this.view = new OperationView(request, replayable(request, options, key), key.present());
    this.info =
        OperationInfo.of(request.origin(), view::label).named(options.name()).keyed(key.key());
    Propagation configured = retry.propagation();
    this.propagation = configured.reaches(info.origin()) ? configured : null;
  }

  /**
   * The key of an operation.
   *
   * @param header where it is written
   * @param key null for none
   * @param wire as it is added to the request, null for one that the caller has written
   */
  private record Key(String header, @Nullable String key, @Nullable String wire) {
    static final Key NONE = new Key("", null, null);

    static Key of(
        @Nullable IdempotencyKeys keys,
        RequestView request,
        RetryOptions options,
        HttpOperation operation) {
      IdempotencyKeys form = keys == null ? IdempotencyKeys.randomUuid() : keys;
      List<String> own = request.headers(form.header());
      if (!own.isEmpty()) {
        String key = form.read(checked(own));
        return key.isBlank() ? NONE : new Key(form.header(), key, null);
      }
      String key = options.idempotencyKey().orElse(null);
      if (key == null && keys != null && mints(request.method())) {
        key = operation.derivedKey(keys, request, options.name());
        key = key == null ? keys.mint(request, operation.now()) : key;
      }
      return key == null ? NONE : new Key(form.header(), key, form.write(key));
    }

    private static boolean mints(String method) {
      return method.equals("POST") || method.equals("PATCH");
    }

    private static String checked(List<String> own) {
      if (own.size() > 1) {
        throw Checks.bad("idempotency key header", own.size() + " lines", "one");
      }
      Checks.secret(
          "idempotency key", own.get(0), c -> !Character.isISOControl(c), "no control characters");
      return own.get(0);
    }

    boolean present() {
      return key != null;
    }
  }

  // The key of the request that this one is made for makes the key of this one: the chain of keys
  // ends only at a system that honours them.
  private @Nullable String derivedKey(
      IdempotencyKeys keys, RequestView request, @Nullable String name) {
    Surroundings surroundings = plan.surroundings();
    if (surroundings == null || name == null) {
      return null;
    }
    String derived = surroundings.deriveKey(name, () -> RequestHash.fingerprint(request));
    return derived == null ? null : keys.fit(derived);
  }

  private Instant now() {
    return retry.environment().clock().instant();
  }

  private Map<String, String> stableHeaders(RequestView request, Key key) {
    if (retry.stableHeaders().isEmpty()) {
      return key.wire() == null ? Map.of() : Map.of(key.header(), key.wire());
    }
    Map<String, String> stable = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    if (key.wire() != null) {
      stable.put(key.header(), key.wire());
    }
    retry.stableHeaders().forEach((name, value) -> addStable(stable, name, value, request));
    return stable;
  }

  private void addStable(
      Map<String, String> stable,
      String name,
      BiFunction<RequestView, Instant, Optional<String>> value,
      RequestView request) {
    if (request.headers(name).isEmpty() && !stable.containsKey(name)) {
      Checks.notNull(name, value.apply(request, now()))
          .ifPresent(made -> stable.put(name, Checks.headerValue(name, made)));
    }
  }

  private static @Nullable AttemptHeader attemptHeader(
      @Nullable AttemptHeader configured, RequestView request, Map<String, String> others) {
    if (configured == null || !request.headers(configured.name()).isEmpty()) {
      return null;
    }
    for (String other : others.keySet()) {
      if (other.equalsIgnoreCase(configured.name())) {
        return null;
      }
    }
    return configured;
  }

  private static boolean replayable(RequestView request, RetryOptions options, Key key) {
    return (key.present() && options.replayable() == null) || withoutKey(request, options);
  }

  private static boolean withoutKey(RequestView request, RetryOptions options) {
    Boolean said = options.replayable();
    return said != null ? said : idempotent(request.method());
  }

  /**
   * Whether repeating a request adds no effect for its method alone.
   *
   * @param method the method, as it is sent
   * @return true for GET, HEAD, OPTIONS, TRACE, PUT and DELETE
   */
  public static boolean idempotent(String method) {
    return IDEMPOTENT.contains(method);
  }

  /**
   * What applies to this operation.
   *
   * @return the client's plan with this operation's policy
   */
  public RetryPlan plan() {
    return plan;
  }

  /**
   * What identifies this operation.
   *
   * @return an object of this operation's own
   */
  public OperationInfo info() {
    return info;
  }

  /**
   * The bound that the caller gave.
   *
   * @return nanoseconds, {@link Long#MAX_VALUE} for none
   */
  public long boundNanos() {
    Duration deadline = options.deadline();
    return deadline == null || deadline.compareTo(LONGEST) >= 0
        ? Long.MAX_VALUE
        : deadline.toNanos();
  }

  /**
   * Whether repeating the request adds no effect.
   *
   * @return true for an idempotent method, a key, or the caller's word
   */
  public boolean replayable() {
    return view.replayable();
  }

  /**
   * The header that carries the key, which must not leave its origin.
   *
   * @return the name, empty if the request has no key
   */
  public Optional<String> keyHeader() {
    return Optional.ofNullable(keyHeader);
  }

  /**
   * The headers that must not follow a redirect to another origin: the key, and what only the
   * origins that the configuration names may learn.
   *
   * @return the names
   */
  public List<String> headersOfOrigin() {
    if (propagation == null) {
      return keyHeader == null ? List.of() : List.of(keyHeader);
    }
    List<String> names = new ArrayList<>(propagation.headers().outbound());
    names.removeIf(name -> !view.request().headers(name).isEmpty());
    if (keyHeader != null) {
      names.add(keyHeader);
    }
    return names;
  }

  /**
   * Whether an attempt differs from the caller's request in its headers.
   *
   * @return false if the request can be sent as it is
   */
  public boolean changesHeaders() {
    return !headers.isEmpty() || attemptHeader != null || propagation != null;
  }

  /**
   * Whether the headers tell the time that is left, and are best written at the last moment.
   *
   * @return false if it does not matter when they are written
   */
  public boolean tellsTimeLeft() {
    return propagation != null;
  }

  /**
   * Gives the headers to set on one attempt. None of them is set by the caller.
   *
   * @param attempt the number of the attempt, from 1
   * @param timeoutNanos the time that the attempt may take; {@link Long#MAX_VALUE} for no bound
   * @param header gets name and value
   */
  public void headers(int attempt, long timeoutNanos, BiConsumer<String, String> header) {
    headers.forEach(header);
    if (propagation != null) {
      propagation.write(
          plan.surroundings(),
          timeoutNanos,
          (name, value) -> {
            if (view.request().headers(name).isEmpty()) {
              header.accept(name, value);
            }
          });
    }
    if (attemptHeader != null) {
      attemptHeader
          .value(attempt, plan.policy().maxAttempts())
          .ifPresent(value -> header.accept(attemptHeader.name(), value));
    }
  }

  /**
   * What an answer means.
   *
   * @param response its head
   * @return the verdict, with what the server said about retrying
   */
  public Verdict judge(ResponseView response) {
    // Nothing that a server says turns a success into a failure: 202 + Retry-After is polling.
    Signals signals =
        response.status() < 400 ? Signals.NONE : retry.signals().read(response, now());
    HintGate gate = retry.hintGate();
    if (gate != null) {
      String origin = response.origin().orElse(info.origin());
      gate.learn(origin, response.status(), signals.hint(), plan.policy());
    }
    Verdict verdict =
        Checks.notNull("verdict", retry.classifier().onResponse(view, response, signals));
    if (!(verdict instanceof Verdict.Retryable retryable)) {
      return verdict;
    }
    Verdict.Retryable hinted =
        retryable.hint().present() ? retryable : retryable.withHint(signals.hint());
    return signals.stop() ? hinted.told() : hinted;
  }

  /**
   * What a failure means.
   *
   * @param failure what went wrong
   * @return the verdict
   */
  public Verdict judge(TransportFailure failure) {
    return Checks.notNull("verdict", retry.classifier().onFailure(view, failure));
  }

  /**
   * What an outcome means where an earlier request of the same attempt may have been processed: the
   * client followed a redirect, say. Then "not processed" is said of the last request alone, and
   * sending the operation again would repeat the first one.
   *
   * @param verdict what it would mean if the attempt had been one request
   * @param keyLost whether one of the requests that may have been processed did not have the key,
   *     because it went to another origin
   * @return the verdict
   */
  public Verdict afterEarlierRequest(Verdict verdict, boolean keyLost) {
    boolean safe = keyLost ? withoutKey(view.request(), options) : replayable();
    if (safe || !(verdict instanceof Verdict.Retryable retryable)) {
      return verdict;
    }
    return new Verdict.Permanent(StopReason.NOT_REPLAYABLE, retryable.kind(), retryable.hint());
  }

  /**
   * What a failure means whose request body cannot be sent again.
   *
   * @param verdict what it would mean if it could
   * @return the verdict
   */
  public static Verdict withoutBody(Verdict verdict) {
    if (!(verdict instanceof Verdict.Retryable retryable)) {
      return verdict;
    }
    return new Verdict.Permanent(
        StopReason.BODY_NOT_REPEATABLE, retryable.kind(), retryable.hint());
  }

  /**
   * Facts about an answer.
   *
   * @param response its head
   * @param deliveries how often a request went to the wire, -1 if unknown
   * @return the facts
   */
  public Exchange.Facts facts(ResponseView response, int deliveries) {
    boolean failed = response.status() >= 400;
    Signals signals = failed ? retry.signals().read(response, now()) : Signals.NONE;
    SendState state = StandardRules.sendState(response.status(), signals);
    return new Exchange.Facts(response.status(), state, deliveries, replayed(response));
  }

  /**
   * Facts about a failure.
   *
   * @param failure what went wrong
   * @param deliveries how often a request went to the wire, -1 if unknown
   * @return the facts
   */
  public static Exchange.Facts facts(TransportFailure failure, int deliveries) {
    return new Exchange.Facts(-1, failure.sendState(), deliveries, false);
  }

  private boolean replayed(ResponseView response) {
    for (String marker : retry.replayMarkers()) {
      for (String value : response.headers(marker)) {
        if (value.trim().equalsIgnoreCase("true")) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * The verdict on an attempt that its own client cancelled, and not this library.
   *
   * @param sendState how far the request got
   * @return a failure that ends the operation
   */
  public static TransportFailure cancelled(SendState sendState) {
    return TransportFailure.permanent(FailureKind.OTHER, sendState, StopReason.CANCELLED);
  }

  @Override
  public String toString() {
    return info.toString();
  }
}
