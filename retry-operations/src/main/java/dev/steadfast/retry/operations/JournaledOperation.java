package dev.steadfast.retry.operations;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.http.journal.JournalService.Call;
import dev.steadfast.retry.http.journal.JournalService.Sent;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import dev.steadfast.retry.internal.Methods;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An operation that a journal remembers. Immutable.
 *
 * @param journal the journal
 * @param intent what the journal gets of it
 * @param lease how long nobody else may take it
 * @param plan what applies to its attempts
 * @param info what identifies it
 * @param waits whether to wait where somebody else works on it
 */
record JournaledOperation(
    OperationJournal journal,
    Intent intent,
    Duration lease,
    RetryPlan plan,
    OperationInfo info,
    boolean waits) {
  private static final Duration LONGEST = Duration.ofHours(24);
  private static final Duration LEASE_MARGIN = Duration.ofSeconds(5);

  /**
   * Names an operation and takes what is kept of its request.
   *
   * @throws IllegalArgumentException if a part is too long, the body cannot be read, or nothing
   *     bounds the operation in time
   */
  static JournaledOperation of(OperationJournal journal, Call call) {
    Duration lease = bound(call).plus(LEASE_MARGIN);
    JournalService.Naming naming = call.naming();
    JournalService.Resumed resumed = naming.resumed();
    Intent intent = resumed == null ? intent(journal.settings(), call) : Intent.of(resumed.due());
    return new JournaledOperation(journal, intent, lease, call.plan(), call.info(), naming.waits());
  }

  private static Intent intent(Settings settings, Call call) {
    JournalService.Naming naming = call.naming();
    CallContext callContext = call.plan().callContext();
    String caller = callContext == null ? "" : callContext.principal();
    OperationJournal.Id id =
        new OperationJournal.Id(naming.name(), naming.principal(), naming.key());
    RequestView request = call.sent().request();
    settings.secrets().refuse(request.uri());
    Map<String, List<String>> compared = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Journaling.Key key = call.sent().key();
    settings
        .headers()
        .of(
            request,
            key == null ? null : key.header(),
            (use, name) -> {
              headers.put(name, request.headers(name));
              if (use == HeaderUses.Use.COMPARED) {
                compared.put(name, request.headers(name));
              }
            });
    byte[] body = request.body(settings.mostBodyBytes()).orElse(null);
    String fingerprint = fingerprint(request, compared, body, naming.fingerprint());
    keepAdded(headers, settings, call.sent());
    Content content = new Content(headers, settings.keepsBodies() ? body : null);
    OperationJournal.Request kept =
        new OperationJournal.Request(request.method(), request.uri(), content);
    return new Intent(id, caller, kept, fingerprint, terms(call.plan().replayable(), call.sent()));
  }

  // Added headers are no part of the fingerprint: the same call has others when it is repeated.
  private static void keepAdded(Map<String, List<String>> headers, Settings settings, Sent sent) {
    sent.addedHeaders()
        .forEach((name, value) -> {
          if (settings.headers().keeps(name)) {
            headers.put(name, List.of(value));
          }
        });
  }

  private static String fingerprint(
      RequestView request,
      Map<String, List<String>> headers,
      byte @Nullable [] body,
      @Nullable String given) {
    Digest digest = new Digest().add(request.method()).add(request.uri().toString());
    headers.forEach((name, lines) -> {
      digest.add(name.toLowerCase(Locale.ROOT)).addNumber(lines.size());
      lines.forEach(digest::add);
    });
    if (given != null) {
      return digest.add("given").add(given).hex();
    }
    if (body == null) {
      throw Checks.bad(
          "journaled request body",
          "read once or too long",
          "repeatable and at most as long as the journal keeps bodies, or"
              + " RetryOptions.fingerprint");
    }
    return digest.add("body").add(body).hex();
  }

  /**
   * Whether an operation can be sent again after it may have been processed. A key counts before an
   * idempotent method: it also tells the server of a request that comes late.
   */
  private static Terms terms(Replayable word, Sent sent) {
    Journaling.Key key = sent.key();
    if (word == Replayable.NEVER) {
      return new Terms(Safety.UNSAFE, null, key);
    }
    if (key != null) {
      return new Terms(Safety.KEYED, sent.keyRetention(), key);
    }
    boolean safe = word == Replayable.ALWAYS || sent.safety().compareTo(Safety.IDEMPOTENT) <= 0;
    return safe
        ? new Terms(Safety.IDEMPOTENT, sent.keyRetention(), null)
        : new Terms(Safety.UNSAFE, null, null);
  }

  private static Duration bound(Call call) {
    Duration total = call.plan().policy().totalTimeout().orElse(LONGEST);
    Duration deadline = Duration.ofNanos(call.boundNanos());
    Duration bound = deadline.compareTo(total) < 0 ? deadline : total;
    if (bound.compareTo(LONGEST) >= 0) {
      throw Checks.bad(
          "totalTimeout", "none", "less than 24 hours for a journaled operation, or a deadline");
    }
    return bound;
  }

  JournaledOperation with(RetryPlan other) {
    return new JournaledOperation(journal, intent, lease, other, info, waits);
  }

  /** The calls of its journal. */
  JournalCalls calls() {
    return new JournalCalls(journal.executor().orElse(null), plan);
  }

  /** The monotonic time, in nanoseconds. */
  long now() {
    return plan.environment().ticker().getAsLong();
  }

  /** The bound on the operation that its lease covers, in nanoseconds. */
  long boundNanos() {
    return lease.minus(LEASE_MARGIN).toNanos();
  }

  /** The operation for its journal, and for no other one. */
  Journaling.Kept owned() {
    return new Owned(journal, intent);
  }

  /** An operation that knows its journal. */
  record Owned(OperationJournal owner, Intent intent) implements Journaling.Kept {
    @Override
    public Intent withoutOwner() {
      return intent;
    }

    @Override
    public RequestView request() {
      return intent.request();
    }

    @Override
    public Map<String, List<String>> headers() {
      return intent.headers();
    }

    @Override
    public Journaling.@Nullable Key sentKey() {
      return intent.sentKey();
    }

    @Override
    public Replayable replayable() {
      return intent.replayable();
    }

    @Override
    public String toString() {
      return intent.toString();
    }
  }

  /** Whether the request asks for no effect. */
  boolean hasSafeMethod() {
    return Methods.reads(intent.request().method());
  }
}
