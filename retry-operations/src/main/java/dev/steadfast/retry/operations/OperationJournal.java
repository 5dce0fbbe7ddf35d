package dev.steadfast.retry.operations;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Remembers operations by name and business key, so that the same operation is not begun twice. A
 * journal in a database also lets an operation outlive the process that began it.
 *
 * <pre>{@code
 * HttpRetry retry =
 *     HttpRetry.builder().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
 * RetryOptions options = RetryOptions.builder().journaled("charge", "order-4711").build();
 * }</pre>
 *
 * <p>An operation without {@link RetryOptions.Builder#journaled} does not touch the journal. The
 * methods of this interface are for authors of journals; users make one and hand it to {@link
 * HttpRetry.Builder#journal}. Implementations are safe for use by many threads.
 */
public interface OperationJournal extends Journaling.Journal {

  /**
   * A journal in memory: it guards against beginning an operation twice within this process, and
   * forgets everything when the process ends.
   *
   * @param operations how many operations are remembered, 1 to 1,000,000. One more has the oldest
   *     one forgotten that is finished, or whose effect has been unknown for a day. If there is
   *     none, the further operation is refused as unreachable
   * @return a new journal
   * @throws IllegalArgumentException if the number is out of its range
   */
  static OperationJournal inMemory(int operations) {
    Settings settings =
        Settings.defaults().addedByClient("Authorization", "Cookie", "Proxy-Authorization");
    return inMemory(operations, settings);
  }

  /**
   * A journal in memory with settings of its own.
   *
   * @param operations as for {@link #inMemory(int)}
   * @param settings what is kept and how; of bodies at most 64 KiB. Credentials are by default
   *     {@linkplain Settings#addedByClient added by the client}
   * @return a new journal
   * @throws IllegalArgumentException if the number is out of its range
   */
  static OperationJournal inMemory(int operations, Settings settings) {
    return new InMemoryJournal(operations, Checks.notNull("settings", settings));
  }

  /**
   * The rules of what is kept and how.
   *
   * @return the settings, always the same
   */
  Settings settings();

  /**
   * Takes an operation: begins it, or takes it over where nobody works on it. May block.
   *
   * @param intent the operation
   * @param lease how long nobody else may take it
   * @return whether the caller may send it, and if not, why
   * @throws RefusedException with {@link Refusal#UNREACHABLE} if nothing can have been written
   * @throws IOException if it is not known what was written; then nothing may be sent
   */
  Claim claim(Intent intent, Duration lease) throws IOException;

  /**
   * Notes that the request is about to be sent. May block; when it returns true, the note is
   * durable.
   *
   * @param intent the operation
   * @param claim what {@link #claim} granted for it
   * @return false if the claim is lost; then nothing may be sent
   * @throws IOException if it is not known what was written; then nothing may be sent
   */
  boolean sending(Intent intent, Claim.Granted claim) throws IOException;

  /**
   * Notes how an operation ended and what its caller is told. May block.
   *
   * @param intent the operation
   * @param claim what {@link #claim} granted for it
   * @param ending how it ended
   * @return false if the claim was lost in the meantime; then nothing was written
   * @throws IOException if it is not known what was written
   */
  boolean ended(Intent intent, Claim.Granted claim, Ending ending) throws IOException;

  /**
   * Runs what may block.
   *
   * @return the executor; empty, the default, if nothing here blocks
   */
  default Optional<Executor> executor() {
    return Optional.empty();
  }

  /**
   * Names an operation: the same name, principal and key are the same operation.
   *
   * @param name what is done, such as {@code charge}; 1 to 100 characters
   * @param principal for whom; at most 255 characters, empty for nobody in particular
   * @param key what tells it from others of that name, such as an order number; 1 to 255 characters
   */
  record Id(String name, String principal, String key) {
    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public Id {
      Checks.kept("journal name", name, 1, 100);
      Checks.kept("journal principal", principal, 0, 255);
      Checks.kept("journal key", key, 1, 255);
    }

    /** The name and a part of the key's hash: keys may be secrets. */
    @Override
    public String toString() {
      return name + " #" + Digest.brief(principal + '\0' + key);
    }
  }

  /** A header block and a body, as they are kept. Immutable. */
  final class Content {
    private final Map<String, List<String>> headers;
    private final byte @Nullable [] body;

    /**
     * Copies both.
     *
     * @param headers lines by name
     * @param body the bytes, none for an empty body; null if the body is not kept
     */
    public Content(Map<String, List<String>> headers, byte @Nullable [] body) {
      Map<String, List<String>> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      headers.forEach((name, lines) -> copy.put(name, List.copyOf(lines)));
      this.headers = Collections.unmodifiableMap(copy);
      this.body = body == null ? null : body.clone();
    }

    /**
     * The headers.
     *
     * @return lines by name, which are found in any case
     */
    public Map<String, List<String>> headers() {
      return headers;
    }

    /**
     * The body.
     *
     * @return a copy of the bytes, none for an empty body; empty if the body is not kept
     */
    public Optional<byte[]> body() {
      return body == null ? Optional.empty() : Optional.of(body.clone());
    }

    int length() {
      return body == null ? 0 : body.length;
    }
  }

  /**
   * A request as it is kept.
   *
   * @param method its method
   * @param uri its target
   * @param content its headers, of those that are kept, and its body
   */
  record Request(String method, URI uri, Content content) implements RequestView {
    @Override
    public List<String> headers(String name) {
      return content.headers().getOrDefault(name, List.of());
    }

    @Override
    public Optional<byte[]> body(int limit) {
      return content.body().filter(bytes -> bytes.length <= limit);
    }

    /** Method, host and path: the query may be a secret. */
    @Override
    public String toString() {
      return method + " " + uri.getHost() + uri.getPath();
    }
  }

  /**
   * An answer as it is kept.
   *
   * @param status its status
   * @param content its headers and its body
   */
  record Answer(int status, Content content) implements ResponseView {
    /** The same without headers and body. */
    Answer statusAlone() {
      return new Answer(status, new Content(Map.of(), null));
    }

    @Override
    public List<String> headers(String name) {
      return content.headers().getOrDefault(name, List.of());
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return content.headers();
    }
  }

  /**
   * Whether, how long and how an operation can be sent again.
   *
   * @param safety why it can be sent again after it may have been processed: {@code IDEMPOTENT} if
   *     that adds no effect, {@code KEYED} if the server processes it once for as long as it keeps
   *     the key, {@code UNSAFE} if it cannot
   * @param window for how long, counted from when it was first sent; null if it cannot
   * @param key its key on the wire; null for none
   */
  record Terms(Safety safety, @Nullable Duration window, Journaling.@Nullable Key key) {
    /**
     * The terms of an operation.
     *
     * @param safety {@code IDEMPOTENT}, {@code KEYED} or {@code UNSAFE}
     * @param window for how long; null if it cannot be sent again
     * @param key its key on the wire; null for none
     * @throws IllegalArgumentException if the safety is another one
     */
    public Terms(Safety safety, @Nullable Duration window, Journaling.@Nullable Key key) {
      if (safety == Safety.UNPROCESSED || safety == Safety.READ_ONLY) {
        throw new IllegalArgumentException(
            "safety is " + safety + ", must be IDEMPOTENT, KEYED or UNSAFE");
      }
      this.safety = safety;
      this.window = window;
      this.key = key;
    }

    /**
     * Whether a request with other terms carries the same key.
     *
     * @param other the other terms
     * @return true if both have the same key, or if neither has one
     */
    public boolean sameKey(Terms other) {
      return Objects.equals(key, other.key);
    }
  }

  /**
   * An operation that is to be sent.
   *
   * @param id its name
   * @param caller the principal of the scope that calls it; empty for none. It is no part of the
   *     identity
   * @param request what is sent, without the key
   * @param fingerprint tells two requests apart: a hash in hexadecimal digits
   * @param terms whether it can be sent again
   */
  record Intent(Id id, String caller, Request request, String fingerprint, Terms terms)
      implements Journaling.Kept {
    /**
     * The intent of an operation, as its client tells it.
     *
     * @param kept what {@code intent} of a client gave
     * @return the operation
     * @throws IllegalArgumentException if it is of another kind of journal
     */
    public static Intent of(Journaling.Kept kept) {
      if (kept.withoutOwner() instanceof Intent intent) {
        return intent;
      }
      throw Checks.bad("operation", kept, "what a client's intent gives");
    }

    /**
     * The intent of an operation, as its client tells it, for the journal of that client. Another
     * journal may be one over the same database, or wrap this one, so only a journal in memory is
     * refused: its client would send the operation beside this journal.
     *
     * @param kept what {@code intent} of a client gave
     * @param journal the journal that is to keep it
     * @return the operation
     * @throws IllegalArgumentException if the client has a journal in memory, or another kind
     */
    public static Intent of(Journaling.Kept kept, OperationJournal journal) {
      Journaling.Journal owner = kept.owner();
      if (owner instanceof InMemoryJournal && !owner.equals(journal)) {
        throw Checks.bad(
            "operation",
            kept + " of a client with " + owner,
            "one of a client with this journal: HttpRetry.Builder.journal");
      }
      return of(kept);
    }

    @Override
    public Map<String, List<String>> headers() {
      return request.content().headers();
    }

    @Override
    public Journaling.@Nullable Key sentKey() {
      return terms.key();
    }

    @Override
    public Replayable replayable() {
      return switch (terms.safety()) {
        case KEYED -> Replayable.BY_REQUEST;
        case IDEMPOTENT -> Replayable.ALWAYS;
        default -> Replayable.NEVER;
      };
    }

    /** The name, and what of the request is no secret. */
    @Override
    public String toString() {
      return id + ", " + request;
    }
  }

  /** The answer of {@link OperationJournal#claim}. */
  sealed interface Claim {
    /**
     * The operation may be sent.
     *
     * @param token proves the claim
     * @param mayHaveActed whether an earlier claim may have had an effect
     * @param delivered whether the journal has it sent again and again until it is finished
     * @param windowLeft for how long it can still be sent; null if it is not sent again
     */
    record Granted(
        String token, boolean mayHaveActed, boolean delivered, @Nullable Duration windowLeft)
        implements Claim {}

    /** Somebody works on it. */
    record InFlight() implements Claim {}

    /**
     * It is finished.
     *
     * @param state succeeded or failed
     * @param caller the principal that began it, empty for none
     * @param answer what the server said; null if it is not known, or too long to be kept
     */
    record Finished(State state, String caller, @Nullable Answer answer) implements Claim {}

    /** It may have been processed and must not be sent again: only a look-up can settle it. */
    record Unknown() implements Claim {}

    /**
     * A person has taken it out of delivery, or a bound has. Only a person puts it back.
     *
     * @param state parked or cancelled
     */
    record Stopped(State state) implements Claim {}

    /**
     * The name is that of another request.
     *
     * @param existing describes it: method, target and when it began
     * @param state its state
     */
    record OtherRequest(String existing, State state) implements Claim {}
  }

  /**
   * The state of an operation in a journal. A later version may add values, so a switch needs a
   * default.
   */
  enum State {
    /** The operation is to be sent, or to be settled by being sent again. */
    READY,
    /** Somebody works on it. */
    IN_FLIGHT,
    /** The server did what was asked. */
    SUCCEEDED,
    /** The server did not do what was asked. */
    FAILED,
    /** Nothing happened: the same operation may be begun again, and an enlisted one is. */
    CLOSED,
    /** It may have been processed, and must not be sent again. */
    UNKNOWN,
    /** It was delivered too often or for too long. A person resumes, settles or cancels it. */
    PARKED,
    /** It was never sent, and a person decided that it never will be. */
    CANCELLED;

    /** The name as it is stored. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How the work on an operation ended.
   *
   * @param state its next state; {@link State#READY} if its caller is told that the outcome is
   *     unknown and it can still be settled by being sent again
   * @param answer the last answer of the server, without headers and body unless it finished the
   *     operation; null for none
   * @param attempts how many attempts were made
   * @param retryIn when to send it again, if it was accepted for delivery; null for not by itself
   */
  record Ending(State state, @Nullable Answer answer, int attempts, @Nullable Duration retryIn) {}

  /** Why an operation was not sent. A later version may add values, so a switch needs a default. */
  enum Refusal {
    /** Somebody works on the same operation. */
    IN_FLIGHT,
    /** The same name and key belong to another request. */
    OTHER_REQUEST,
    /** The journal could not be reached, so nothing was sent. */
    UNREACHABLE,
    /**
     * The journal cannot be written: its table or a column of it is missing, or the database is
     * read-only. Nothing was sent, now or before.
     */
    UNWRITABLE,
    /** The operation may have been processed before, and must not be sent again. */
    UNKNOWN,
    /** The operation is finished, and its answer is not kept. */
    ANSWER_NOT_KEPT,
    /**
     * The operation is finished, and another principal began it, who alone gets the answer; see
     * {@link Settings#handingBackToAll}.
     */
    OTHER_CALLER,
    /** The operation is parked: a person has to resume, settle or cancel it. */
    PARKED,
    /** The operation was cancelled before it was sent, which is final. */
    CANCELLED
  }

  /** Thrown when an operation is not sent, for a reason that the journal knows. */
  final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    /** The reason. */
    private final Refusal refusal;

    /** The state of the other request; null if there is none. */
    private final @Nullable State existing;

    /**
     * A refusal.
     *
     * @param refusal the reason
     * @param message what happened, without secrets
     * @param cause what went wrong, null for nothing
     */
    public RefusedException(Refusal refusal, String message, @Nullable Throwable cause) {
      super(message, cause);
      this.refusal = refusal;
      this.existing = null;
    }

    /**
     * A refusal of a request whose name and key are those of another one.
     *
     * @param asked the operation that was asked for
     * @param other the other request
     */
    public RefusedException(Intent asked, Claim.OtherRequest other) {
      super(
          String.format(
              "%s names another request, %s (%s); this one differs in target, body or header: %s",
              asked.id(), other.existing(), other.state(), asked.request()));
      this.refusal = Refusal.OTHER_REQUEST;
      this.existing = other.state();
    }

    /**
     * The state of the operation that has this name and key.
     *
     * @return empty unless the refusal is {@link Refusal#OTHER_REQUEST}
     */
    public Optional<State> existing() {
      return Optional.ofNullable(existing);
    }

    /**
     * The reason.
     *
     * @return why nothing was sent
     */
    public Refusal refusal() {
      return refusal;
    }
  }

  /**
   * The rules of what a journal keeps and how. Immutable; each method gives a changed copy.
   *
   * <p>Each header of a journaled request must have its place here, because an operation that is
   * resumed must be the request that was called:
   *
   * <ul>
   *   <li>kept and compared: {@code Accept}, {@code Accept-Language}, {@code Content-Type}, {@code
   *       Content-Encoding}, {@code Content-Language}, {@code If-Match}, {@code If-None-Match},
   *       {@code If-Unmodified-Since}, {@code Prefer}, and those of {@link #withHeaders}
   *   <li>kept and not compared: those of {@link #withUncomparedHeaders}
   *   <li>added by the client that sends it, and neither kept nor compared: headers of tracing,
   *       baggage, request ids, {@code User-Agent}, those that frame a message, and those of {@link
   *       #addedByClient}
   * </ul>
   *
   * <p>A call with any other header is refused, by the name of the header. The header of the key
   * needs no place.
   */
  final class Settings {
    private static final Settings DEFAULTS =
        new Settings(
            new Named(HeaderUses.DEFAULTS, SecretParameters.DEFAULTS), 1 << 20, new Parts());

    private final Named named;
    private final int mostBodyBytes;
    private final Parts parts;

    /** The headers and parameters of a request that have a meaning. */
    private record Named(HeaderUses headers, SecretParameters secrets) {}

    /** The switches, and the proof of a failure. */
    private record Parts(
        boolean keepsBodies,
        boolean sendsUnreachable,
        boolean handsBackToAll,
        Predicate<Answer> provesFailure) {
      Parts() {
        this(true, false, false, answer -> false);
      }
    }

    private Settings(Named named, int mostBodyBytes, Parts parts) {
      this.named = named;
      this.mostBodyBytes = mostBodyBytes;
      this.parts = parts;
    }

    /**
     * The usual headers, bodies of at most 1 MiB, nothing sent without the journal.
     *
     * @return the defaults
     */
    public static Settings defaults() {
      return DEFAULTS;
    }

    /**
     * Keeps further request headers, and compares them: with another value it is another request.
     *
     * @param names their names
     * @return a changed copy
     * @throws IllegalArgumentException if one is no header name or holds a secret
     */
    public Settings withHeaders(String... names) {
      return withUses(HeaderUses.Use.COMPARED, names);
    }

    /**
     * Keeps further request headers without comparing them: the operation is resumed with the value
     * that it was begun with, and a call with another value is the same operation.
     *
     * @param names their names
     * @return a changed copy
     * @throws IllegalArgumentException if one is no header name or holds a secret
     */
    public Settings withUncomparedHeaders(String... names) {
      return withUses(HeaderUses.Use.KEPT, names);
    }

    /**
     * Names headers that each client adds to what it sends, such as {@code Authorization}. They are
     * neither kept nor compared, so the client that resumes an operation must add its own. An
     * account or tenant that such a header chooses is the one of that client.
     *
     * @param names their names
     * @return a changed copy
     * @throws IllegalArgumentException if one is no header name
     */
    public Settings addedByClient(String... names) {
      return withUses(HeaderUses.Use.ADDED_BY_CLIENT, names);
    }

    private Settings withUses(HeaderUses.Use use, String... names) {
      Named changed = new Named(headers().with(use, names), named.secrets);
      return new Settings(changed, mostBodyBytes, parts);
    }

    HeaderUses headers() {
      return named.headers;
    }

    /**
     * Names the parameters of a query that hold a secret, in the place of the defaults: {@code
     * access_token}, {@code api_key}, {@code key}, {@code password}, {@code sig}, {@code token} and
     * the like. {@code key} is one of them because APIs of Google take their secret there: the
     * refusal of a harmless one is seen at the first call, and a stored secret is seen by nobody. A
     * journal that stores requests as they are refuses a call with one of them, and one whose URI
     * has user info. A journal with a codec and one in memory refuse neither.
     *
     * @param names their names, in any case; none if nothing is to be refused
     * @return a changed copy
     * @throws IllegalArgumentException if one is empty
     */
    public Settings withSecretParameters(String... names) {
      Named changed = new Named(named.headers, new SecretParameters(names));
      return new Settings(changed, mostBodyBytes, parts);
    }

    SecretParameters secrets() {
      return named.secrets;
    }

    /**
     * Keeps bodies of another length.
     *
     * @param bytes the longest, 0 to 16 MiB
     * @return a changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public Settings withMostBodyBytes(int bytes) {
      return new Settings(named, Checks.within("mostBodyBytes", bytes, 0, 1 << 24), parts);
    }

    /**
     * The longest request body and the longest answer body that is kept.
     *
     * @return in bytes
     */
    public int mostBodyBytes() {
      return mostBodyBytes;
    }

    /**
     * Keeps no request body, because it is the user's data. Only the caller can send the operation
     * again after a crash, by calling it again.
     *
     * @return a changed copy
     */
    public Settings withoutRequestBodies() {
      return with(
          new Parts(false, parts.sendsUnreachable, parts.handsBackToAll, parts.provesFailure));
    }

    /**
     * Whether request bodies are kept.
     *
     * @return false if only its caller can send an operation again
     */
    public boolean keepsBodies() {
      return parts.keepsBodies;
    }

    /**
     * Sends an operation without the journal if the journal cannot be reached when the call begins.
     * Then nothing is recorded, and another process may send the same operation. Operations that
     * are resumed are never sent this way. An enlisted operation that is called this way is sent
     * once more by {@code resume}, so give it a key.
     *
     * @return a changed copy
     */
    public Settings sendingUnreachable() {
      return with(new Parts(parts.keepsBodies, true, parts.handsBackToAll, parts.provesFailure));
    }

    /**
     * Sends nothing without the journal, as by default.
     *
     * @return a changed copy
     */
    public Settings refusingUnreachable() {
      return with(new Parts(parts.keepsBodies, false, parts.handsBackToAll, parts.provesFailure));
    }

    /**
     * Whether an operation is sent, unguarded, if the journal cannot be reached.
     *
     * @return false by default
     */
    public boolean sendsUnreachable() {
      return parts.sendsUnreachable;
    }

    /**
     * Hands a stored answer back to any caller of the same operation. Only the principal that began
     * it gets the answer by default; another one is told the effect alone.
     *
     * @return a changed copy
     */
    public Settings handingBackToAll() {
      return with(new Parts(parts.keepsBodies, parts.sendsUnreachable, true, parts.provesFailure));
    }

    boolean handsBackToAll() {
      return parts.handsBackToAll;
    }

    /**
     * Names answers of 400 to 499 that show that no earlier attempt had an effect.
     *
     * @param proves true for such an answer; what it throws counts as false
     * @return a changed copy
     */
    public Settings withProofOfFailure(Predicate<Answer> proves) {
      Checks.notNull("provesFailure", proves);
      return with(
          new Parts(parts.keepsBodies, parts.sendsUnreachable, parts.handsBackToAll, proves));
    }

    Predicate<Answer> provesFailure() {
      return parts.provesFailure;
    }

    private Settings with(Parts other) {
      return new Settings(named, mostBodyBytes, other);
    }
  }
}
