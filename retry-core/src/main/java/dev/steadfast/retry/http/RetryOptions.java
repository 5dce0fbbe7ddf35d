package dev.steadfast.retry.http;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The options that apply to one operation and not to its client. Immutable; may be used for several
 * operations unless it carries a key, which belongs to one intent.
 *
 * <p>OkHttp takes it as a request tag, {@code java.net.http} through {@code
 * RetryingHttpClient.with}, Apache HttpClient 5 through {@code Apache5Retry.with}.
 */
public final class RetryOptions {
  private static final int MOST_COST = 1_000_000_000;
  private static final RetryOptions NONE = builder().build();

  private final @Nullable String idempotencyKey;
  private final @Nullable RetryPolicy policy;
  private final @Nullable Duration deadline;
  private final Replayable replayable;
  private final @Nullable ToIntFunction<RequestView> cost;
  private final short paidRepeats; // -1: not set; the largest: no bound
  private final @Nullable Boolean bodyRepeatable;
  private final @Nullable String name;
  private final @Nullable String derivedKey;
  private final boolean noRetry;
  private final boolean optional;
  private final JournalService.@Nullable Naming naming;

  private RetryOptions(Builder builder) {
    this.idempotencyKey = builder.idempotencyKey;
    this.policy = builder.policy;
    this.deadline = builder.deadline;
    this.replayable = builder.replayable;
    this.paidRepeats = builder.paidRepeats;
    this.cost = builder.cost;
    this.bodyRepeatable = builder.bodyRepeatable;
    this.name = builder.name;
    this.derivedKey = builder.derivedKey;
    this.noRetry = builder.noRetry;
    this.optional = builder.optional;
    this.naming = builder.naming();
  }

  /** {@return the shared instance without options: the client's configuration as it is} */
  public static RetryOptions none() {
    return NONE;
  }

  /** {@return a builder with nothing set} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Options for an operation that another call or process began; for authors of adapters.
   *
   * @param journal the journal that has the operation
   * @param due the operation
   * @return options for sending it, with its key
   */
  public static RetryOptions resuming(Journaling.Journal journal, Journaling.Kept due) {
    Builder builder = builder().refuseInFlight();
    builder.journalName = due.toString();
    builder.journalKey = "";
    builder.resumed = new JournalService.Resumed(journal, due);
    builder.replayable = due.replayable();
    return builder.build();
  }

  /**
   * Merges these options with other ones, which take precedence.
   *
   * @param other the options that win where both set something
   * @return the merged options
   */
  public RetryOptions with(RetryOptions other) {
    Builder merged = new Builder();
    merged.idempotencyKey = other.idempotencyKey == null ? idempotencyKey : other.idempotencyKey;
    merged.derivedKey = other.derivedKey == null ? derivedKey : other.derivedKey;
    merged.optional = optional || other.optional;
    merged.policy = other.policy == null ? policy : other.policy;
    merged.deadline = other.deadline == null ? deadline : other.deadline;
    merged.replayable = other.replayable == Replayable.BY_REQUEST ? replayable : other.replayable;
    merged.paidRepeats = other.paidRepeats < 0 ? paidRepeats : other.paidRepeats;
    merged.cost = other.cost == null ? cost : other.cost;
    merged.bodyRepeatable = other.bodyRepeatable == null ? bodyRepeatable : other.bodyRepeatable;
    merged.name = other.name == null ? name : other.name;
    merged.noRetry = noRetry || other.noRetry;
    merged.journaled(other.naming == null ? naming : other.naming);
    return merged.build();
  }

  /** {@return the key that the caller gave, empty for none} A secret: no log shows it. */
  public Optional<String> idempotencyKey() {
    return Optional.ofNullable(idempotencyKey);
  }

  /** The policy that applies, given the client's. */
  RetryPolicy policy(RetryPolicy ofClient) {
    RetryPolicy own = policy == null ? ofClient : policy;
    return noRetry ? own.toBuilder().maxAttempts(1).build() : own;
  }

  /**
   * {@return the bound that the caller gave for the whole operation, from its start: more than
   * zero, empty for none}
   */
  public Optional<Duration> deadline() {
    return Optional.ofNullable(deadline);
  }

  Replayable replayable() {
    return replayable;
  }

  int paidRepeats() {
    if (paidRepeats == Short.MAX_VALUE) {
      return Integer.MAX_VALUE;
    }
    return paidRepeats < 0 ? 1 : paidRepeats;
  }

  /** The expected cost of an attempt; 0 if the caller does not say. */
  int cost(RequestView request) {
    return cost == null ? 0 : checked(cost.applyAsInt(request));
  }

  private static int checked(int units) {
    return Checks.within("cost", units, 1, MOST_COST);
  }

  /**
   * {@return the caller's word about a body whose length is not known, whether it yields the same
   * bytes again; empty if the caller does not say}
   */
  public Optional<Boolean> bodyRepeatable() {
    return Optional.ofNullable(bodyRepeatable);
  }

  @Nullable String name() {
    return name;
  }

  @Nullable String derivedKey() {
    return derivedKey;
  }

  boolean optional() {
    return optional;
  }

  /** {@return whether a journal remembers the operation: {@link Builder#journaled} is set} */
  public boolean isJournaled() {
    return naming != null;
  }

  JournalService.@Nullable Naming naming() {
    return naming;
  }

  /**
   * Refuses what a client passes on as it is and no journal can keep, such as a web socket; for
   * authors of adapters.
   *
   * @param what what is to be sent
   * @throws IllegalArgumentException if these options name a {@linkplain Builder#journaled
   *     journaled} operation
   */
  public void refuseToJournal(String what) {
    if (naming != null) {
      throw Checks.bad("journaled operation " + naming, what, "a request that a journal can keep");
    }
  }

  @Override
  public String toString() {
    return "RetryOptions(name="
        + name
        + ", key="
        + (idempotencyKey == null ? "none" : "set")
        + ", derivedKey="
        + derivedKey
        + ", deadline="
        + deadline
        + ", replayable="
        + replayable
        + (paidRepeats < 0 ? "" : ", paidRepeats=" + paidRepeats)
        + (cost == null ? "" : ", cost=set")
        + ", policy="
        + (noRetry ? "no retry" : policy)
        + (optional ? ", optional" : "")
        + ")";
  }

  /** Collects options; not safe for use by several threads. */
  public static final class Builder {
    private @Nullable String idempotencyKey;
    private @Nullable RetryPolicy policy;
    private @Nullable Duration deadline;
    private Replayable replayable = Replayable.BY_REQUEST;
    private short paidRepeats = -1;
    private @Nullable ToIntFunction<RequestView> cost;
    private @Nullable Boolean bodyRepeatable;
    private @Nullable String name;
    private @Nullable String derivedKey;
    private boolean noRetry;
    private boolean optional;
    private @Nullable String journalName;
    private @Nullable String journalKey;
    private String principal = "";
    private @Nullable String fingerprint;
    private boolean refuseInFlight;
    private JournalService.@Nullable Resumed resumed;

    private Builder() {}

    private JournalService.@Nullable Naming naming() {
      if (journalName != null && journalKey != null) {
        return new JournalService.Naming(
            journalName, principal, journalKey, fingerprint, !refuseInFlight, resumed);
      }
      if (fingerprint != null || refuseInFlight || !principal.isEmpty()) {
        String without = refuseInFlight ? "refuseInFlight" : "principal";
        String option = fingerprint == null ? without : "fingerprint";
        throw Checks.bad(option, "set without journaled", "RetryOptions.journaled as well");
      }
      return null;
    }

    private void journaled(JournalService.@Nullable Naming naming) {
      if (naming != null) {
        journalName = naming.name();
        principal = naming.principal();
        journalKey = naming.key();
        fingerprint = naming.fingerprint();
        refuseInFlight = !naming.waits();
        resumed = naming.resumed();
      }
    }

    /**
     * The key of this operation, for any method. Setting it is your promise that the server honours
     * it. Default: the key that the client's configuration makes. A key header of the request
     * itself takes precedence over both.
     *
     * @param key 1 to 255 printable ASCII characters
     * @return this
     * @throws IllegalArgumentException if the key is out of its range
     */
    public Builder idempotencyKey(String key) {
      KeyForm.check(key, IdempotencyKeys.DEFAULT_MAX_LENGTH);
      this.idempotencyKey = key;
      return this;
    }

    /**
     * Derives the key of this operation, for any method, from the key of the inbound request that
     * it is made for. When that request is repeated, this one has the same key again. Setting it is
     * your promise that the server honours the key. Default: no key is derived.
     *
     * <p>The key is SHA-256 over the principal, the service and inbound operation, the inbound key
     * and this name. No key is derived outside of a scope, or in one without a principal or a key;
     * then the client adds a key as it is configured to. {@link #idempotencyKey} and a key header
     * of the request itself win over this.
     *
     * @param callName tells this call from all others that are made for the same inbound request.
     *     Equal requests under one name count as one intent: the second has no further effect.
     *     Different requests under one name are refused with an {@code IllegalArgumentException}
     * @return this
     * @throws IllegalArgumentException if the name is empty or holds half a surrogate pair
     */
    public Builder derivedKey(String callName) {
      this.derivedKey = Checks.wellFormed("derivedKey", Checks.notBlank("derivedKey", callName));
      return this;
    }

    /**
     * The policy of this operation. Default: the client's.
     *
     * @param policy the policy
     * @return this
     */
    public Builder policy(RetryPolicy policy) {
      this.policy = Checks.notNull("policy", policy);
      return this;
    }

    /**
     * A bound on this operation and all that belongs to it: queue, request body, attempts, waits,
     * and the reading of the response body, also by the caller. The smaller of it and the policy's
     * total timeout holds. Default: none.
     *
     * @param deadline more than zero, from the start of the operation
     * @return this
     * @throws IllegalArgumentException if it is zero or negative
     */
    public Builder deadline(Duration deadline) {
      this.deadline = Checks.positive("deadline", deadline);
      return this;
    }

    /**
     * Whether repeating this request adds no effect. Default: decided by method, conditions and
     * key. True for a POST that only reads, or for a PUT with {@code If-Match} whose 412 the caller
     * can interpret; false for a GET that does not only read.
     *
     * <p>Where true is all that protects a request, its repetitions are counted: see {@link
     * #paidRepeats}.
     *
     * @param replayable the caller's word
     * @return this
     */
    public Builder replayable(boolean replayable) {
      this.replayable = Replayable.of(replayable);
      return this;
    }

    /**
     * How often this operation is repeated although the server may have processed it, and may
     * charge for it again. It counts where nothing but {@code replayable(true)} makes a repetition
     * safe: a request with a key or an idempotent method is not bounded by it. Each attempt counts
     * that was neither proven unsent nor refused, such as one whose answer was lost or was a 503.
     * It holds on top of attempts, time and budget; one more would end the operation with {@link
     * dev.steadfast.retry.StopReason#ATTEMPTS_EXHAUSTED}.
     *
     * <p>Default: 1, because nobody can check the caller's word, and a word that is wrong or costs
     * money then costs at most one repetition. Set more for a request that costs nothing, such as a
     * search.
     *
     * @param repeats 0 or more; above 32,766 there is no bound
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public Builder paidRepeats(int repeats) {
      this.paidRepeats =
          (short) Math.min(Checks.atLeast("paidRepeats", repeats, 0), Short.MAX_VALUE);
      return this;
    }

    /**
     * The expected cost of an attempt, for a server that counts more than requests: for an AI API
     * the tokens of the prompt and of the longest answer. {@link
     * dev.steadfast.retry.limit.QuotaPacing} holds an attempt back until so much is left. Default:
     * what most requests were seen to cost.
     *
     * @param units in the unit of the server's quota, 1 to 1,000,000,000. Too many let calls wait
     *     longer, and too few may have them refused
     * @return this
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder cost(int units) {
      checked(units);
      this.cost = request -> units;
      return this;
    }

    /**
     * The same as a function of the request, for options that many calls share: for example a
     * fourth of the bytes of its body, and the tokens of the longest answer.
     *
     * @param units gives what {@link #cost(int)} takes; called once for each operation, on the
     *     thread that begins it; safe for use by many threads. An exception of it ends the
     *     operation, and so does a value that is out of its range, with an {@code
     *     IllegalArgumentException}
     * @return this
     */
    public Builder cost(ToIntFunction<RequestView> units) {
      this.cost = Checks.notNull("cost", units);
      return this;
    }

    /**
     * Whether a body of unknown length yields the same bytes when it is asked again ({@code
     * java.net.http} cannot tell). Default: no. A resend that yields other bytes still fails,
     * before its last byte.
     *
     * @param repeatable the caller's word
     * @return this
     */
    public Builder bodyRepeatable(boolean repeatable) {
      this.bodyRepeatable = repeatable;
      return this;
    }

    /**
     * A name for logs, listeners and reports, and for nothing else. Default: none.
     *
     * @param name not empty
     * @return this
     * @throws IllegalArgumentException if the name is empty
     */
    public Builder name(String name) {
      this.name = Checks.notBlank("name", name);
      return this;
    }

    /**
     * One attempt and no more, with everything else as configured. A request that met a pooled
     * connection already closed is still sent once more, as without any retry library, if it was
     * never sent or its method is idempotent.
     *
     * @return this
     */
    public Builder noRetry() {
      this.noRetry = true;
      return this;
    }

    /**
     * The inbound request does not depend on this operation: if it gives up, its scope does not
     * learn of it. So if the inbound request fails for another reason, its answer does not get
     * {@code x-should-retry: false}. Default: the scope learns of each operation that gives up.
     *
     * @return this
     */
    public Builder optional() {
      this.optional = true;
      return this;
    }

    /**
     * Has the journal remember this operation: it is not begun again while it is in flight, its
     * stored answer is handed back once it is finished, and another request under the same name and
     * key is refused. Default: the journal is not asked. The journal is that of {@link
     * HttpRetry.Builder#journal}; by default it remembers the operations of this process alone.
     *
     * <p>Where the client adds keys, the key on the wire derives from the name, this key and the
     * {@link #principal}, so that the same operation has the same key on the wire, whoever sends
     * it.
     *
     * @param name what is done, such as {@code charge}; 1 to 100 characters
     * @param key the business key, such as an order number; 1 to 255 characters
     * @return this
     * @throws IllegalArgumentException if one is out of its range
     */
    public Builder journaled(String name, String key) {
      this.journalName = Checks.kept("journal name", name, 1, 100);
      this.journalKey = Checks.kept("journal key", key, 1, 255);
      return this;
    }

    /**
     * The principal for whom a {@link #journaled} operation is done, if the same name and key of
     * two principals are two operations. Default: nobody in particular, also within a scope that
     * has a principal, so that a web request, a job and a support desk mean the same order.
     *
     * @param principal for example a tenant; 1 to 255 characters
     * @return this
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder principal(String principal) {
      this.principal = Checks.kept("principal", principal, 1, 255);
      return this;
    }

    /**
     * The text that tells two requests of the same {@link #journaled} name apart, in place of the
     * body: for bodies that differ each time, such as those with a time stamp, and for those that
     * can be read only once. Default: the bytes of the body.
     *
     * @param fingerprint any text; a hash of it is kept
     * @return this
     * @throws IllegalArgumentException if it is empty
     */
    public Builder fingerprint(String fingerprint) {
      this.fingerprint = Checks.notBlank("fingerprint", fingerprint);
      return this;
    }

    /**
     * Refuses the operation at once if somebody works on the same {@link #journaled} one. Default:
     * waits for its end, within the deadline.
     *
     * @return this
     */
    public Builder refuseInFlight() {
      this.refuseInFlight = true;
      return this;
    }

    /** {@return immutable options} */
    public RetryOptions build() {
      return new RetryOptions(this);
    }
  }
}
