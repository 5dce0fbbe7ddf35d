package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence.Requests;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.Evidence.WireFindings;
import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The account of the requests of one attempt. The adapter of a client reports what its client does,
 * at the moment when it happens. Only this class draws conclusions: what became of a request, what
 * may be sent again, and the {@link Evidence} of the attempt. Whatever is never reported is
 * unknown.
 *
 * <p>One thread reports: that of the client's call. Whoever settles the attempt reads, and calls
 * {@link #seal} and {@link #othersUnseen}. Any thread may call {@link #otherSent}. Sealing and
 * sending exclude each other.
 *
 * @param <Q> the client's requests
 */
public final class WireLog<Q> {
  // Why it is like this: docs/decisions/evidence.md
  @SuppressWarnings("rawtypes")
  private static final AtomicReferenceFieldUpdater<WireLog, @Nullable RareFacts> RARE_FACTS =
      AtomicReferenceFieldUpdater.newUpdater(WireLog.class, RareFacts.class, "rareFacts");

  @SuppressWarnings("rawtypes")
  private static final AtomicIntegerFieldUpdater<WireLog> SENT =
      AtomicIntegerFieldUpdater.newUpdater(WireLog.class, "sent");

  @SuppressWarnings("rawtypes")
  private static final AtomicReferenceFieldUpdater<WireLog, Safety> BESIDE =
      AtomicReferenceFieldUpdater.newUpdater(WireLog.class, Safety.class, "beside");

  // The fate of the latest request, where it has no status.
  private static final int LOST = -1;
  private static final int UNSENT = -2;
  private static final int REFUSED = -3;

  private final RetryPlan plan;
  private final Function<? super Q, String> text;

  // The number of requests sent; once sealed, -1 minus that number.
  private volatile int sent;

  // The latest request. If there is none, these describe one that was not sent.
  private volatile @Nullable Q latest;
  private volatile Safety safety = Safety.UNPROCESSED;
  private volatile int fate = UNSENT; // or its status
  private volatile boolean withoutKey;
  private volatile boolean elsewhere; // user code has begun it, for something else

  // Those before the latest.
  private volatile Safety earlier = Safety.UNPROCESSED; // the weakest reason
  private volatile boolean afterEffect;
  private boolean followUp; // the latest follows an answer, and has not failed before

  private boolean nextElsewhere;
  private volatile boolean anyOwn; // whether a request was for the operation
  private volatile boolean unseenAnswer;
  private volatile Safety beside = Safety.UNPROCESSED; // how safe other requests are that went out
  private volatile @Nullable RareFacts<Q> rareFacts; // null: none

  /** Facts that few attempts have, so most share an empty one. */
  private static final class RareFacts<Q> {
    private static final RareFacts<?> NONE = new RareFacts<>();
    private volatile @Nullable Q unsafe; // the first that may have acted and nothing protects
    // The first that may have had an effect without the key: of the operation's own, and of others.
    private volatile @Nullable Q uncovered;
    private volatile @Nullable Q uncoveredElsewhere;
    private volatile @Nullable Safety unseen; // how safe the requests are that nobody saw
  }

  /**
   * The log of an attempt that has sent nothing yet.
   *
   * @param plan what applies to the operation
   * @param text names a request in reports: its method and where it went
   * @throws NullPointerException if an argument is null
   */
  public WireLog(RetryPlan plan, Function<? super Q, String> text) {
    this.plan = Checks.notNull("plan", plan);
    this.text = Checks.notNull("text", text);
  }

  // ---- what the adapter reports

  /**
   * User code goes on to the client. It may do so several times within an attempt, for example to
   * fetch a token first.
   *
   * @param elsewhere whether its request is for something else than the operation; so are those to
   *     which that one is redirected
   */
  public void begins(boolean elsewhere) {
    nextElsewhere = elsewhere;
  }

  /**
   * A request goes out now. The one before it, if there was one, is over.
   *
   * @param request the request
   * @param why why it may be sent again, by its method and its headers as they go over the wire
   * @param carriesKey whether it has the key of the operation; true if the operation has none
   * @return false if nothing may be sent any more, because the attempt is settled
   */
  public boolean sends(Q request, Safety why, boolean carriesKey) {
    if (isSealed()) {
      return false;
    }
    startRequest();
    safety = why;
    withoutKey = !carriesKey;
    elsewhere = nextElsewhere;
    anyOwn |= !elsewhere;
    latest = request;
    // The fate comes before the count: whoever settles the attempt seals the count first, and reads
    // the rest.
    fate = LOST;
    if (count()) {
      return true;
    }
    fate = UNSENT;
    return false;
  }

  /** The latest request was counted, and did not go out: that is proved. */
  public void notSent() {
    int before = sent;
    while (!SENT.compareAndSet(this, before, before < 0 ? before + 1 : before - 1)) {
      before = sent;
    }
    fate = UNSENT;
  }

  /** The next request begins on a connection that is known to be dead: nothing of it goes out. */
  public void onDeadConnection() {
    startRequest();
    safety = Safety.UNPROCESSED;
    latest = null;
  }

  /** The server has refused the latest request unprocessed, without an answer. */
  public void refused() {
    fate = REFUSED;
  }

  /**
   * The latest request was answered.
   *
   * @param status the status that the server sent, whatever user code makes of it
   */
  public void answered(int status) {
    fate = status;
  }

  /**
   * Other requests may have gone out that nobody saw.
   *
   * @param why why they may be sent again: of the operation's request, or the latest one
   * @param answered whether the answer of the attempt belongs to one of them
   */
  public void othersUnseen(Safety why, boolean answered) {
    RareFacts<Q> noted = rareFacts();
    Safety known = noted.unseen;
    unseenAnswer |= answered;
    noted.unseen = known == null ? why : known.and(why);
  }

  /**
   * Another request has gone out, of which nothing else is seen. No answer to the latest request
   * proves that this one was refused. Any thread may report it.
   *
   * @param why why it may be sent again
   * @param answered whether the answer of the attempt belongs to it
   */
  public void otherSent(Safety why, boolean answered) {
    if (answered) {
      unseenAnswer = true;
    }
    Safety known = beside;
    while (!BESIDE.compareAndSet(this, known, known.and(why))) {
      known = beside;
    }
  }

  /**
   * Lets nothing out any more, so that what the log says stays true. Otherwise a timer could give
   * up an attempt as never sent while its thread is about to send.
   */
  public void seal() {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, -1 - before)) {
      before = sent;
    }
  }

  private boolean count() {
    int before = sent;
    while (before >= 0 && !SENT.compareAndSet(this, before, before + 1)) {
      before = sent;
    }
    return before >= 0;
  }

  /** The latest request becomes an earlier one. The order of the writes is that of the reads. */
  private void startRequest() {
    int known = fate;
    followUp = known >= 0 || (followUp && known == UNSENT);
    Safety settled = settledSafety(known);
    if (settled == Safety.UNSAFE && rareFacts().unsafe == null) {
      rareFacts().unsafe = latest;
    }
    if (mayHaveHadEffect(known)) {
      afterEffect = true;
      if (withoutKey && elsewhere && rareFacts().uncoveredElsewhere == null) {
        rareFacts().uncoveredElsewhere = latest;
      } else if (withoutKey && !elsewhere && rareFacts().uncovered == null) {
        rareFacts().uncovered = latest;
      }
    }
    earlier = earlier.and(settled);
    fate = UNSENT;
  }

  private RareFacts<Q> rareFacts() {
    RareFacts<Q> known = rareFacts;
    while (known == null) {
      RARE_FACTS.compareAndSet(this, null, new RareFacts<>());
      known = rareFacts;
    }
    return known;
  }

  @SuppressWarnings("unchecked") // the one that stands for none names no request
  private RareFacts<Q> knownRareFacts() {
    RareFacts<Q> known = rareFacts;
    return known == null ? (RareFacts<Q>) RareFacts.NONE : known;
  }

  // ---- what follows from it

  /** {@return whether nothing may be sent any more: {@link #seal} was called} */
  public boolean isSealed() {
    return sent < 0;
  }

  /** {@return how many requests went out} */
  public int deliveries() {
    int count = sent;
    return count < 0 ? -1 - count : count;
  }

  /** {@return the disposition of the latest request, unsent if there is none} */
  public Disposition disposition() {
    return disposition(fate);
  }

  private static Disposition disposition(int known) {
    return switch (known) {
      case LOST -> Disposition.UNKNOWN;
      case UNSENT -> Disposition.UNSENT;
      case REFUSED -> Disposition.REFUSED;
      default -> AnswerProof.of(known).disposition();
    };
  }

  /**
   * {@return the latest request, null if none has begun to go out, or if it met a dead connection}
   */
  public @Nullable Q latest() {
    return latest;
  }

  /**
   * {@return why the latest request may be sent again, by what it was on the wire: its method, its
   * key, or nothing}
   */
  public Safety safety() {
    return safety;
  }

  /**
   * {@return whether the latest request follows an answer to another one, such as a redirect, and
   * has not failed before}
   */
  public boolean isFollowUp() {
    return followUp;
  }

  /** {@return whether a request before the latest may have been processed} */
  public boolean followsProcessed() {
    return earlier != Safety.UNPROCESSED;
  }

  /**
   * {@return whether a client may send the latest request again by itself: false if it may have
   * been processed and is not safe to repeat} The rule is the one by which the loop decides on a
   * whole attempt.
   */
  public boolean maySendAgain() {
    return plan.word().allowsUncounted(settledSafety(fate));
  }

  /**
   * Whether the operation would go on with another attempt if a request were lost on a connection
   * that was dead before.
   *
   * @param why why the request may be sent again
   * @return false if the operation would end there: then the connection should be tested first
   */
  public boolean survivesDeadConnection(Safety why) {
    return plan.word().allowsUncounted(why) && (why.needsNoKey() || plan.allowsRetries());
  }

  private Safety settledSafety(int known) {
    return disposition(known).mayHaveActed() ? safety : Safety.UNPROCESSED;
  }

  private boolean mayHaveHadEffect(int known) {
    return disposition(known).mayHaveActed()
        && safety != Safety.READ_ONLY
        && AnswerProof.of(known).mayBeDone();
  }

  /** Whether the server did nothing and has named another place, to which nothing was sent. */
  private static boolean isNotHere(int known) {
    return known >= 0 && AnswerProof.of(known) == AnswerProof.NOT_HERE;
  }

  /**
   * The evidence of the attempt.
   *
   * @param status the status of the answer that the caller may get, -1 for a failure. If it is not
   *     the status that the wire has shown, then it proves nothing of the latest request.
   * @param bodySpent whether the request body cannot be sent again
   * @return the evidence
   */
  public Evidence evidence(int status, boolean bodySpent) {
    int known = fate;
    Safety sentBeside = beside;
    Safety others = knownRareFacts().unseen;
    if (sentBeside != Safety.UNPROCESSED) {
      others = others == null ? sentBeside : others.and(sentBeside);
    }
    Disposition last = status < 0 && isNotHere(known) ? Disposition.REFUSED : disposition(known);
    Safety lastSafety = safety; // before the earlier ones: see startRequest
    if (others != null) {
      lastSafety = lastSafety.and(others);
      if (!last.mayHaveActed()) {
        last = status < 0 ? Disposition.UNKNOWN : Disposition.ANSWERED;
      }
    }
    Requests requests = Requests.of(last, lastSafety, earlier.and(sentBeside));
    boolean own = status < 0 || (status == known && !unseenAnswer);
    Evidence evidence =
        Evidence.of(requests, status, deliveries(), bodySpent)
            .withTrail(trail(own, requests, known));
    boolean effect = afterEffect || (!own && mayHaveHadEffect(known));
    return effect ? evidence.withEarlierEffect() : evidence;
  }

  private WireFindings trail(boolean own, Requests requests, int known) {
    RareFacts<Q> noted = knownRareFacts();
    Q blocking = noted.unsafe;
    if (blocking == null && requests.safety() == Safety.UNSAFE && (elsewhere || deliveries() > 1)) {
      blocking = latest;
    }
    Q keyless = noted.uncovered;
    if (keyless == null && withoutKey && !(elsewhere && anyOwn) && mayHaveHadEffect(known)) {
      keyless = latest;
    }
    if (keyless == null && !anyOwn) { // user code may have changed where the operation goes
      keyless = noted.uncoveredElsewhere;
    }
    return blocking == null && keyless == null
        ? WireFindings.of(own)
        : new WireFindings(own, shown(blocking), shown(keyless));
  }

  private @Nullable String shown(@Nullable Q request) {
    return request == null ? null : text.apply(request);
  }
}
