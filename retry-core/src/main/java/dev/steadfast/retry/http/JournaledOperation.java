package dev.steadfast.retry.http;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.http.OperationJournal.Content;
import dev.steadfast.retry.http.OperationJournal.Intent;
import dev.steadfast.retry.http.OperationJournal.Repeat;
import dev.steadfast.retry.http.OperationJournal.Settings;
import dev.steadfast.retry.http.OperationJournal.Terms;
import dev.steadfast.retry.internal.CallContext;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
  // RFC 9110 section 9.2.1; QUERY by RFC 10008.
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "QUERY");
  private static final Duration LONGEST = Duration.ofHours(24);
  private static final Duration LEASE_MARGIN = Duration.ofSeconds(5);

  /**
   * What goes over the wire.
   *
   * @param plan what applies to the attempts
   * @param info what identifies the operation
   * @param terms whether it can be sent again
   * @param added the headers that the operation adds to each attempt
   */
  record Sent(RetryPlan plan, OperationInfo info, Terms terms, Map<String, String> added) {}

  /**
   * Names an operation and takes what is kept of its request.
   *
   * @param journal the client's journal; an operation that is resumed uses its own instead
   * @throws IllegalArgumentException if a part is too long, the body cannot be read, or nothing
   *     bounds the operation in time
   */
  static JournaledOperation of(
      OperationJournal journal, RequestView request, RetryOptions options, Sent sent) {
    JournalNaming naming = Objects.requireNonNull(options.naming());
    Duration lease = bound(sent.plan().policy(), options).plus(LEASE_MARGIN);
    JournalNaming.Resumed resumed = naming.resumed();
    OperationJournal in = resumed == null ? journal : resumed.journal();
    Intent intent =
        resumed == null ? intent(journal.settings(), request, naming, sent) : resumed.intent();
    return new JournaledOperation(in, intent, lease, sent.plan(), sent.info(), naming.waits());
  }

  private static Intent intent(
      Settings settings, RequestView request, JournalNaming naming, Sent sent) {
    OperationJournal.Id id =
        new OperationJournal.Id(naming.name(), principal(sent.plan().callContext()), naming.key());
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String name : settings.headers()) {
      if (!request.headers(name).isEmpty()) {
        headers.put(name, request.headers(name));
      }
    }
    byte[] body = request.body(settings.mostBodyBytes()).orElse(null);
    String fingerprint = fingerprint(request, headers, body, naming.fingerprint());
    keepAdded(headers, settings, sent);
    Content content = new Content(headers, settings.keepsBodies() ? body : null);
    OperationJournal.Request kept =
        new OperationJournal.Request(request.method(), request.uri(), content);
    return new Intent(id, kept, fingerprint, sent.terms());
  }

  // They are no part of the fingerprint: the same call has others when it is made again.
  private static void keepAdded(Map<String, List<String>> headers, Settings settings, Sent sent) {
    OperationJournal.Key key = sent.terms().key();
    sent.added()
        .forEach((name, value) -> {
          boolean isKey = key != null && key.header().equalsIgnoreCase(name);
          if (!isKey && settings.headers().stream().anyMatch(name::equalsIgnoreCase)) {
            headers.put(name, List.of(value));
          }
        });
  }

  private static String principal(@Nullable CallContext callContext) {
    return callContext == null ? "" : callContext.principal();
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
   *
   * @param word the caller's word; null: the request tells
   * @param safety why its request may be sent again, as it goes out
   * @param key its key; null for none
   * @param window how long the server keeps keys
   */
  static Terms terms(
      @Nullable Boolean word,
      Evidence.Safety safety,
      OperationJournal.@Nullable Key key,
      Duration window) {
    if (Boolean.FALSE.equals(word)) {
      return new Terms(Repeat.NEVER, null, key);
    }
    if (key != null) {
      return new Terms(Repeat.KEYED, window, key);
    }
    boolean safe = Boolean.TRUE.equals(word) || safety.compareTo(Evidence.Safety.IDEMPOTENT) <= 0;
    return safe ? new Terms(Repeat.IDEMPOTENT, window, null) : new Terms(Repeat.NEVER, null, null);
  }

  private static Duration bound(RetryPolicy policy, RetryOptions options) {
    Duration total = policy.totalTimeout().orElse(LONGEST);
    Duration deadline = options.deadline().orElse(LONGEST);
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

  /** The bound on the operation that its lease covers, in nanoseconds. */
  long boundNanos() {
    return lease.minus(LEASE_MARGIN).toNanos();
  }

  /** Whether the request asks for no effect. */
  boolean hasSafeMethod() {
    return SAFE.contains(intent.request().method());
  }

  /** A key on the wire: the same for the same operation, whoever sends it. */
  static String wireKey(JournalNaming naming, @Nullable CallContext callContext) {
    List<String> parts = List.of("journal", principal(callContext), naming.name(), naming.key());
    Digest digest = new Digest().addNumber(parts.size());
    parts.forEach(part -> digest.add(Checks.wellFormed("journaled", part)));
    return digest.hex();
  }
}
