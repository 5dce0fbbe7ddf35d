package dev.steadfast.retry.http;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Advice;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RepeatableLoop;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One logical call: its key, its headers, and what the outcomes of its attempts mean. Authors of
 * adapters use it. Immutable and safe for use by many threads.
 */
public final class HttpOperation {
  private static final int MOST_JUDGED_BYTES = 64 * 1024;
  private static final int FIRST_FAILURE = 400;

  private final HttpRetry retry;
  private final RetryPlan plan;
  private final OperationInfo info;
  private final OperationView view;
  private final SortedMap<String, String> headers; // the same in each attempt, beside the key
  private final OperationKey key; // every attempt is handed over with it
  private final RetryOptions options;
  private final JournalService.@Nullable Journaled journaled; // null: no journal is asked
  private final @Nullable Propagation propagation; // null: nothing to tell this origin

  HttpOperation(HttpRetry retry, RequestView request, RetryOptions options) {
    this.retry = retry;
    CallContext here = CallContext.current();
    CallContext callContext =
        here == null ? null : here.of(() -> SameRequestContext.target(request));
    this.plan =
        retry
            .plan()
            .withPolicy(options.policy(retry.policy()))
            .withCallContext(callContext)
            .withReplayable(options.replayable(), options.paidRepeats())
            .withOptional(options.optional());
    this.options = options;
    this.key = OperationKey.of(retry.idempotencyKeys().orElse(null), request, options, plan);
    this.headers = retry.addedHeaders().ofOperation(request, key, clock());
    this.view = new OperationView(request, key.present());
    this.info =
        OperationInfo.of(request.origin(), view::label)
            .withName(options.name())
            .withKey(key.key())
            .withCost(options.cost(request));
    Propagation configured = retry.propagation();
    this.propagation = configured.reaches(info.origin()) ? configured : null;
    adviseOnRetriesAbove(request);
    // A client that makes an attempt for another one must not claim the operation again: it would
    // wait for the claim of the outer client.
    JournalService.Naming naming = options.naming();
    this.journaled =
        naming == null || SameRequestContext.isOf(here, request)
            ? null
            : journaled(naming, request);
  }

  private HttpOperation(HttpOperation first, RequestView request, OperationKey key) {
    this.retry = first.retry;
    this.plan = first.plan;
    this.options = first.options;
    this.info = first.info;
    this.key = key;
    this.headers = AddedHeaders.again(first.headers, request);
    this.view = new OperationView(request, key.present());
    this.propagation = first.propagation;
    this.journaled = null;
  }

  /**
   * This operation for the same request when it comes again within its call, for example with other
   * credentials. It keeps its key, its options, and the headers that were made once. Authors of
   * adapters compare method, target and body.
   *
   * @param request the request
   * @param options the options that it has now; only a key or a name for the journal matters
   * @return null if the request is another operation: it has a key of its own, or a journal knows
   *     one of the two
   */
  public @Nullable HttpOperation again(RequestView request, RetryOptions options) {
    if (journaled != null || options.naming() != null) {
      return null;
    }
    OperationKey same = key.again(retry.idempotencyKeys().orElse(null), request, options);
    return same == null ? null : new HttpOperation(this, request, same);
  }

  private JournalService.Journaled journaled(JournalService.Naming naming, RequestView request) {
    IdempotencyKeys keys = retry.idempotencyKeys().orElse(IdempotencyKeys.randomUuid());
    JournalService.Sent sent =
        new JournalService.Sent(request, headers, key.sent(), keys.retention(), safety());
    return retry
        .journal()
        .operation(new JournalService.Call(naming, sent, plan, info, boundNanos()));
  }

  /** {@return the request with which it began, as the adapter gave it} */
  public RequestView request() {
    return view.request();
  }

  /**
   * The part of this operation that a journal keeps, to be enlisted.
   *
   * @return the operation as a journal has it
   * @throws IllegalArgumentException unless its options name it by {@link
   *     RetryOptions.Builder#journaled}
   */
  public Journaling.Kept intent() {
    if (journaled == null) {
      throw Checks.bad("operation", "not journaled", "RetryOptions.journaled");
    }
    return journaled.intent();
  }

  private void adviseOnRetriesAbove(RequestView request) {
    if (!plan.advised(Advice.RETRIED_ABOVE) && SdkRetries.isRetry(request)) {
      plan.advise(Advice.RETRIED_ABOVE, info);
    }
  }

  private Supplier<Instant> clock() {
    return retry.environment().clock();
  }

  /** {@return the client's plan with this operation's policy} */
  public RetryPlan plan() {
    return plan;
  }

  /**
   * The loop that carries this operation out, for an adapter that keeps no answers.
   *
   * @param with {@link #plan}, or a changed copy of it
   * @param transport how attempts are made
   * @param <R> the response
   * @return a new loop
   * @throws IllegalArgumentException if the operation is journaled
   */
  public <R> RetryLoop<R> loop(RetryPlan with, RetryTransport<R> transport) {
    if (journaled != null) {
      throw Checks.bad(
          "journaled operation " + options.naming(),
          "a client without a codec",
          "one whose adapter gives Journaling.Codec");
    }
    return RetryLoop.of(with, info, transport);
  }

  /**
   * The loop that carries this operation out, journaled or not.
   *
   * @param with {@link #plan}, or a changed copy of it
   * @param transport how attempts are made
   * @param codec turns answers into what a journal keeps; used if the operation is journaled
   * @param <R> the response
   * @return a new loop
   */
  public <R> RetryLoop<R> loop(
      RetryPlan with, RetryTransport<R> transport, Journaling.Codec<R> codec) {
    return journaled == null ? loop(with, transport) : journaled.loop(with, transport, codec);
  }

  /**
   * The loop for a request that may come again within its call.
   *
   * @param with {@link #plan}, or a changed copy of it
   * @param transport how attempts are made
   * @param <R> the response
   * @return a new loop; null if the operation is journaled: then each time that its request comes
   *     is a claim of its own
   */
  public <R> @Nullable RepeatableLoop<R> openLoop(RetryPlan with, RetryTransport<R> transport) {
    return journaled == null ? RepeatableLoop.of(with, info, transport) : null;
  }

  /**
   * {@return how many bytes of an answer's body the journal keeps, 0 if the operation is not
   * journaled}
   */
  public int keepsAnswerBytes() {
    return journaled == null ? 0 : journaled.mostAnswerBytes();
  }

  /**
   * How many bytes of an answer's body the rules read before they say what it means; for authors of
   * adapters. A longer one is judged without its body.
   *
   * @param status the status of the answer
   * @return 0 if they read nothing of it
   */
  public int judgedBodyBytes(int status) {
    return retry.readsBodyOf(status) ? MOST_JUDGED_BYTES : 0;
  }

  /** How many bytes of an answer's body belong to the attempt, if the body is no longer. */
  int bufferedBodyBytes(int status) {
    int most = status < FIRST_FAILURE ? retry.bufferBodiesUpTo() : judgedBodyBytes(status);
    return Math.max(most, keepsAnswerBytes());
  }

  /**
   * Whether an answer is judged only when the first event of its body is there, if that is an event
   * stream; for authors of adapters.
   *
   * @param status the status of the answer
   * @return true if the first event belongs to the attempt
   */
  public boolean awaitsFirstEvent(int status) {
    return retry.awaitsFirstEvent(status);
  }

  /**
   * Marks the calling thread while a client makes an attempt that may send through another client:
   * if that one retries too, it makes single attempts of this request.
   *
   * @return takes the mark off; to be run on the same thread
   */
  public Runnable markAttempt() {
    CallContext around = CallContext.bind(null);
    CallContext.bind(new SameRequestContext(plan, request(), around));
    return () -> CallContext.bind(around);
  }

  /** {@return the identity of this operation, an object of its own} */
  public OperationInfo info() {
    return info;
  }

  /**
   * The report for the caller, from what {@link RetryTransport#deliver} is given.
   *
   * @param report what happened, null if the first attempt was accepted and nobody listened
   * @return the report; without times if none were taken
   */
  public RetryReport report(@Nullable RetryReport report) {
    return report == null ? CleanReport.of(info) : report;
  }

  /** {@return the bound that the caller gave in nanoseconds, {@link Long#MAX_VALUE} for none} */
  public long boundNanos() {
    Duration deadline = options.deadline().orElse(null); // not mapped, as that would box numbers
    return deadline == null ? Long.MAX_VALUE : Durations.nanos(deadline);
  }

  /**
   * Why sending a request of this operation again adds no effect, by what it was on the wire.
   *
   * <p>A PUT or DELETE under a condition, such as {@code If-Match}, needs a key like a POST: if it
   * succeeded and its answer was lost, its repetition is refused with 412, which looks like a
   * change by somebody else.
   *
   * @param method its method; case-sensitive
   * @param headers gives the values of one of its headers by name, none if it is absent
   * @return the method, the key if its line is the one that the operation handed over byte for
   *     byte, or nothing
   */
  public Evidence.Safety safety(String method, Function<String, List<String>> headers) {
    Evidence.Safety safety = RequestSafety.of(method, headers, key);
    // A GET of which the caller says that it does not only read.
    boolean writes = plan.replayable() == Replayable.NEVER && safety == Evidence.Safety.READ_ONLY;
    return writes ? Evidence.Safety.IDEMPOTENT : safety;
  }

  /**
   * {@return why the request as this operation hands it over may be sent again: its method, its
   * key, or nothing}
   */
  public Evidence.Safety safety() {
    return safety(request().method(), this::handedOver);
  }

  private List<String> handedOver(String header) {
    String added = key.isAddedAs(header) ? key.addedLine() : headers.get(header);
    return added == null ? request().headers(header) : List.of(added);
  }

  /**
   * Whether a request carries the key of this operation.
   *
   * @param headers gives the values of one of its headers by name, none if it is absent
   * @return whether its key line is the one that the operation handed over, byte for byte; true if
   *     the operation has no key
   */
  public boolean carriesKey(Function<String, List<String>> headers) {
    return !key.present() || key.isIn(headers);
  }

  /** {@return the name of the header that carries the key, empty if the request has no key} */
  public Optional<String> keyHeader() {
    return key.present() ? Optional.of(key.header()) : Optional.empty();
  }

  /**
   * {@return the headers that must not follow a redirect to another server: a key that was added,
   * and what only the origins that the configuration names may learn} A header that the caller has
   * set goes wherever the client takes it.
   */
  public List<String> headersOfOrigin() {
    List<String> ownKey = key.added() ? List.of(key.header()) : List.of();
    if (propagation == null) {
      return ownKey;
    }
    List<String> names = new ArrayList<>(propagation.headers().outbound());
    names.removeIf(name -> !request().headers(name).isEmpty());
    names.addAll(ownKey);
    return names;
  }

  /**
   * The headers that a request must not carry, because the first one went to another server. A
   * server that asks for https instead of http, on their usual ports, is the same one.
   *
   * @param first the origin of the first request, in the form of {@link RequestView#origin()}
   * @param now the origin of the request that goes out
   * @return none for the same server, else {@link #headersOfOrigin()}
   */
  public List<String> foreignHeaders(String first, String now) {
    return Origins.sameServer(first, now) ? List.of() : headersOfOrigin();
  }

  /**
   * Warns, once for this configuration, if the client sends again what has failed: then a layer
   * beneath retries by itself.
   *
   * @param status the status of the answer before, -1 without one
   * @param before the disposition of the request before
   */
  public void adviseOnResend(int status, Disposition before) {
    boolean failed = status >= 500 || status == 408 || status == 429;
    if (failed || before == Disposition.UNKNOWN) {
      plan.advise(Advice.RESENT_BENEATH, this);
    }
  }

  /** {@return whether an attempt differs from the caller's request in its headers} */
  public boolean changesHeaders() {
    boolean byOperation = key.added() || !headers.isEmpty();
    return byOperation || propagation != null || retry.addedHeaders().anyPerAttempt();
  }

  /**
   * Whether a header of an attempt comes from the operation, and not from the caller's request.
   *
   * @param name the name, in any case
   * @return true for what {@link #headers} and {@link #lateHeaders} set
   */
  public boolean adds(String name) {
    return addsEarly(name) || retry.addedHeaders().isPerAttempt(name, request());
  }

  private boolean addsEarly(String name) {
    return key.isAddedAs(name)
        || headers.containsKey(name)
        || (propagation != null
            && propagation.headers().outbound().stream().anyMatch(name::equalsIgnoreCase)
            && request().headers(name).isEmpty());
  }

  /**
   * {@return whether the headers tell the time that is left, and are best written at the last
   * moment}
   */
  public boolean tellsTimeLeft() {
    return propagation != null;
  }

  /**
   * Gives those of the {@link #headers} again that tell the time that is left, for an attempt that
   * has waited since they were written.
   *
   * @param timeoutNanos the time that the attempt may take; {@link Long#MAX_VALUE} for no bound
   * @param header gets name and value
   */
  public void timeHeaders(long timeoutNanos, BiConsumer<String, String> header) {
    if (propagation != null) {
      propagation.write(
          plan.callContext(),
          timeoutNanos,
          (name, value) -> {
            if (request().headers(name).isEmpty()) {
              header.accept(name, value);
            }
          });
    }
  }

  /**
   * Gives the headers to set on one attempt. None of them is set by the caller.
   *
   * @param timeoutNanos the time that the attempt may take; {@link Long#MAX_VALUE} for no bound
   * @param header gets name and value
   */
  public void headers(long timeoutNanos, BiConsumer<String, String> header) {
    String line = key.addedLine();
    if (line != null) {
      header.accept(key.header(), line);
    }
    headers.forEach(header);
    timeHeaders(timeoutNanos, header);
  }

  /**
   * Makes the headers of {@code HttpRetry.Builder.oncePerAttempt}, when an attempt has begun. They
   * are set in addition to those of {@link #headers}. A header that the caller's request has is
   * left out. Runs functions of the user's, and does not throw.
   *
   * @param attempt the attempt; {@link Attempt#begin} has returned true
   * @return the values by name, most often none
   */
  public Map<String, String> lateHeaders(Attempt<?> attempt) {
    AddedHeaders added = retry.addedHeaders();
    return added.anyPerAttempt() ? added.ofAttempt(attempt, request(), this::addsEarly) : Map.of();
  }

  /**
   * How an attempt ended that got an answer.
   *
   * @param response its head
   * @param wire what the client showed of the attempt's requests; what the answer's headers say is
   *     added
   * @return what it means, and what is known
   */
  public Outcome outcome(ResponseView response, Evidence wire) {
    boolean replayed = replayed(response);
    Signals read = signals(response);
    Signals signals = replayed && failed(response) ? read.ofReplay() : read;
    Verdict verdict =
        Checks.notNull("verdict", retry.classifier().onResponse(view, response, signals));
    if (retry.learning().any()) {
      learn(new LearningGuards.Judged(response, signals, verdict), plan.environment().ticker());
    }
    Evidence proved = wire.withProof(proof(response, signals, verdict));
    Evidence evidence = signals.unprocessed() ? proved.withRefusal() : proved;
    return Outcome.of(signals.addedTo(verdict), replayed ? evidence.withReplay() : evidence);
  }

  private AnswerProof proof(ResponseView response, Signals signals, Verdict verdict) {
    if (response.errorEvent().isPresent()) {
      return AnswerProof.PERHAPS_DONE;
    }
    boolean asksToWait = signals.asksToWait() || verdict instanceof Verdict.Retryable;
    return AnswerProof.of(response.status(), request().method(), asksToWait);
  }

  private static boolean failed(ResponseView response) {
    return response.status() >= 400 || response.errorEvent().isPresent();
  }

  /**
   * Learns from an answer if its origin was not known at the time of {@link #outcome(ResponseView,
   * Evidence)}: some clients show a head before they say which server sent it.
   *
   * @param response the answer
   * @param verdict what the rules say that it means, null if they were not asked
   * @param headNanos when its head came, by the ticker of the environment
   */
  public void learn(ResponseView response, @Nullable Verdict verdict, long headNanos) {
    if (retry.learning().any()) {
      learn(new LearningGuards.Judged(response, signals(response), verdict), () -> headNanos);
    }
  }

  private void learn(LearningGuards.Judged judged, LongSupplier headNanos) {
    retry.learning().learn(plan, info, judged, headNanos);
  }

  // A success is never read for signals: 202 with Retry-After asks the client to poll.
  private Signals signals(ResponseView response) {
    return failed(response) ? retry.signals().read(response, clock().get()) : Signals.NONE;
  }

  /**
   * How an attempt ended that got no usable answer.
   *
   * @param failure what went wrong
   * @param wire what the client showed of the attempt's requests
   * @return what it means, and what is known
   */
  public Outcome outcome(TransportFailure failure, Evidence wire) {
    Verdict verdict =
        Checks.notNull(
            "verdict", retry.classifier().onFailure(view, failure.forSafety(wire.safety())));
    return new Outcome(verdict, wire);
  }

  private boolean replayed(ResponseView response) {
    List<String> markers = retry.replayMarkers();
    for (int i = 0; i < markers.size(); i++) { // runs for each answer: no iterator
      for (String value : response.headers(markers.get(i))) {
        if (value.trim().equalsIgnoreCase("true")) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return info.toString();
  }
}
