package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of the keys of operations, and the form in which they are sent. Immutable and safe for
 * use by many threads.
 *
 * <p>Configured keys are your promise: <em>this server honours keys on POST and PATCH</em>, or on
 * the methods that {@link #withMethods} or {@link #withEveryMethod} name. A server that ignores
 * them may act twice when an answer is lost, so no key is added by default. Processing by a server
 * that honours them is effectively once <em>within its retention window</em>; see its documentation
 * for how long it keeps keys.
 *
 * <p>One operation has one key, made before its first attempt and sent unchanged, byte for byte, on
 * every attempt. A key header that the caller set is used instead; it promises the same for that
 * request.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The
 *     Idempotency-Key HTTP Header Field, IETF draft</a>
 */
public final class IdempotencyKeys {
  static final String DEFAULT_HEADER = "Idempotency-Key";
  static final int DEFAULT_MAX_LENGTH = 255;
  private static final int LEAST_DERIVED = 32; // hexadecimal digits: 128 bits
  private static final int UUID_LENGTH = 36;
  private static final int HASH_LENGTH = 64;
  private static final Set<String> NOT_IDEMPOTENT = Set.of("POST", "PATCH");

  private static final IdempotencyKeys RANDOM_UUIDS =
      of(UUID_LENGTH, (request, clock) -> UUID.randomUUID().toString());

  private final KeySource source;
  private final int shortest; // that the source makes
  private final Sent sent;
  private final @Nullable Set<String> methods; // null for every one

  /** How keys are sent, and how long they may be sent again. */
  private record Sent(String header, KeyForm form, int maxLength, Duration retention) {
    private static final Sent USUAL =
        new Sent(DEFAULT_HEADER, KeyForm.BARE, DEFAULT_MAX_LENGTH, Duration.ofHours(23));
  }

  /** Mints a key. */
  @FunctionalInterface
  interface KeySource {
    String mint(RequestView request, Supplier<Instant> clock);
  }

  private IdempotencyKeys(
      KeySource source, int shortest, Sent sent, @Nullable Set<String> methods) {
    this.source = source;
    this.shortest = shortest;
    this.sent = sent;
    this.methods = methods;
  }

  private static IdempotencyKeys of(int shortest, KeySource source) {
    return new IdempotencyKeys(source, shortest, Sent.USUAL, NOT_IDEMPOTENT);
  }

  /** {@return random UUIDs, one for each operation: every call is an intent of its own} */
  public static IdempotencyKeys randomUuid() {
    return RANDOM_UUIDS;
  }

  /**
   * A key that the application derives from the request, such as a business identifier: the same
   * intent has the same key even after a restart.
   *
   * @param key makes a key of the request; safe for use by many threads; what it throws ends the
   *     operation before anything is sent
   * @return keys of the application's own
   */
  public static IdempotencyKeys from(Function<RequestView, String> key) {
    Checks.notNull("key", key);
    return of(1, (request, clock) -> key.apply(request));
  }

  /**
   * The SHA-256 of the canonical request: method, URI, the named headers and the body. Equal
   * requests are one intent, for ever: two payments of the same amount to the same account become
   * one. Not for bodies that can be read only once, or of more than 1 MiB.
   *
   * @param headers the headers that take part, in any case and order
   * @return keys by content
   * @throws IllegalArgumentException if a name is no header name
   */
  public static IdempotencyKeys requestHash(String... headers) {
    List<String> names = RequestHash.names(headers);
    return of(HASH_LENGTH, (request, clock) -> RequestHash.of(request, names, ""));
  }

  /**
   * As {@link #requestHash(String...)}, with the time bucket of the first attempt as a further
   * part: equal requests within a bucket are one intent. Two requests a moment apart may fall into
   * different buckets.
   *
   * @param bucket the length of a bucket, whole seconds, one or more
   * @param headers the headers that take part
   * @return keys by content and time
   * @throws IllegalArgumentException if the bucket is out of its range or a name is no header name
   */
  @SuppressWarnings("JavaDurationGetSecondsToToSeconds") // which Android 8 lacks
  public static IdempotencyKeys requestHashWithin(Duration bucket, String... headers) {
    Checks.notNull("bucket", bucket);
    if (bucket.getSeconds() < 1 || !bucket.equals(Duration.ofSeconds(bucket.getSeconds()))) {
      throw Checks.bad("bucket", bucket, "whole seconds, one or more");
    }
    List<String> names = RequestHash.names(headers);
    long seconds = bucket.getSeconds();
    return of(
        HASH_LENGTH,
        (request, clock) ->
            RequestHash.of(
                request,
                names,
                Long.toString(Math.floorDiv(clock.get().getEpochSecond(), seconds))));
  }

  /**
   * Joins parts to one key with colons, as in {@code user-7:2026-11-21:payment}.
   *
   * @param parts one or more, none empty, none with a colon: otherwise ("a:b", "c") and ("a",
   *     "b:c") would be one key
   * @return the key
   * @throws IllegalArgumentException if a part is empty or has a colon, or there is none
   */
  public static String composite(String... parts) {
    if (Checks.notNull("parts", parts).length == 0) {
      throw Checks.bad("parts", "none", "one or more");
    }
    for (int i = 0; i < parts.length; i++) {
      String what = "part " + (i + 1);
      if (Checks.notNull(what, parts[i]).isEmpty()) {
        throw Checks.bad(what, "empty", "one character or more");
      }
      Checks.secret(what, parts[i], c -> c != ':', "no colon");
    }
    String key = String.join(":", parts);
    KeyForm.check(key, DEFAULT_MAX_LENGTH);
    return key;
  }

  /** {@return random UUIDs for Stripe: bare, at most 255 characters} */
  public static IdempotencyKeys stripe() {
    return randomUuid();
  }

  /** {@return random UUIDs as a quoted string, as in the IETF draft} */
  public static IdempotencyKeys ietfDraft() {
    return randomUuid().quoted();
  }

  /** {@return random UUIDs for Adyen: at most 64 characters} */
  public static IdempotencyKeys adyen() {
    return randomUuid().withHeader("idempotency-key").withMaxLength(64);
  }

  /** {@return random UUIDs for PayPal: {@code PayPal-Request-Id}} */
  public static IdempotencyKeys payPal() {
    return randomUuid().withHeader("PayPal-Request-Id");
  }

  /** {@return random UUIDs for Checkout.com: {@code Cko-Idempotency-Key}} */
  public static IdempotencyKeys checkoutCom() {
    return randomUuid().withHeader("Cko-Idempotency-Key");
  }

  /**
   * {@return random UUIDs for Worldline Direct: {@code X-GCS-Idempotence-Key}, at most 40
   * characters}
   */
  public static IdempotencyKeys worldline() {
    return randomUuid().withHeader("X-GCS-Idempotence-Key").withMaxLength(40);
  }

  /** {@return random UUIDs for PPRO: {@code Request-Idempotency-Key}} */
  public static IdempotencyKeys ppro() {
    return randomUuid().withHeader("Request-Idempotency-Key");
  }

  /**
   * {@return random UUIDs for OASIS Repeatable Requests and Azure: {@code
   * Repeatability-Request-ID}} The protocol also wants {@code Repeatability-First-Sent}, the same
   * on every attempt: see {@link HttpRetry.Builder#oncePerOperation}.
   */
  public static IdempotencyKeys repeatableRequests() {
    return randomUuid().withHeader("Repeatability-Request-ID");
  }

  /**
   * {@return random UUIDs for the JSON API of Google Cloud Storage: {@code
   * x-goog-gcs-idempotency-token}, on every method}
   */
  public static IdempotencyKeys googleCloudStorage() {
    return randomUuid().withHeader("x-goog-gcs-idempotency-token").withEveryMethod();
  }

  /**
   * The same keys under another header. Default: {@code Idempotency-Key}.
   *
   * @param name the header
   * @return a changed copy
   * @throws IllegalArgumentException if the name is no header name
   */
  public IdempotencyKeys withHeader(String name) {
    Checks.headerName("idempotency key header", name);
    return with(new Sent(name, sent.form, sent.maxLength, sent.retention));
  }

  /**
   * {@return the same keys as a quoted structured string, the form of the IETF draft} Default:
   * bare, the form of every commercial API known to us.
   */
  public IdempotencyKeys quoted() {
    return with(new Sent(sent.header, KeyForm.QUOTED, sent.maxLength, sent.retention));
  }

  /**
   * The most characters of a key. Default 255. Keys are not shortened, as two might become one.
   *
   * @param maxLength as many as a key of this kind has, to 255: 36 for a UUID, 64 for a hash, 1 for
   *     keys of the application's own
   * @return a changed copy
   * @throws IllegalArgumentException if it is out of its range
   */
  public IdempotencyKeys withMaxLength(int maxLength) {
    Checks.within("maxLength", maxLength, shortest, DEFAULT_MAX_LENGTH);
    return with(new Sent(sent.header, sent.form, maxLength, sent.retention));
  }

  /**
   * The time for which a journaled operation may be sent again under its key, counted from when it
   * was first sent. Default 23 hours, for servers that keep keys for 24. Other operations do not
   * use it.
   *
   * <p>Give less time than the server keeps keys. A request that is sent at the end of this time
   * may still be on its way after it, and must find its key. So subtract the longest time that an
   * attempt may take (the attempt timeout, or the total timeout where there is none), and some
   * minutes for clocks that differ and for proxies that hold requests back.
   *
   * @param retention from one second to 10 years
   * @return a changed copy
   * @throws IllegalArgumentException if it is out of its range
   */
  public IdempotencyKeys withRetention(Duration retention) {
    Checks.notNull("retention", retention);
    if (retention.compareTo(Duration.ofSeconds(1)) < 0
        || retention.compareTo(Duration.ofDays(3653)) > 0) {
      throw Checks.bad("retention", retention, "1 s to 10 years");
    }
    return with(new Sent(sent.header, sent.form, sent.maxLength, retention));
  }

  /**
   * The same keys on requests of these methods and on no others. Default: POST and PATCH, as the
   * other usual methods are idempotent without a key.
   *
   * <p>A server that keeps its answers by key gives the same answer to a second request with the
   * same key. So for a method that reads, such as GET, use keys that differ for each operation, and
   * not {@link #requestHash}.
   *
   * @param methods one or more, case-sensitive, as in {@code "POST", "PUT"}
   * @return a changed copy
   * @throws IllegalArgumentException if one is no method, or there is none
   */
  public IdempotencyKeys withMethods(String... methods) {
    if (Checks.notNull("methods", methods).length == 0) {
      throw Checks.bad("methods", "none", "one or more");
    }
    Set<String> named = new TreeSet<>();
    for (String method : methods) {
      named.add(Checks.method("method", method));
    }
    return new IdempotencyKeys(source, shortest, sent, Set.copyOf(named));
  }

  /**
   * {@return the same keys on every request, for servers that take a key with any method} What
   * {@link #withMethods} says of methods that read holds here too.
   */
  public IdempotencyKeys withEveryMethod() {
    return new IdempotencyKeys(source, shortest, sent, null);
  }

  private IdempotencyKeys with(Sent changed) {
    return new IdempotencyKeys(source, shortest, changed, methods);
  }

  Duration retention() {
    return sent.retention;
  }

  /** {@return the name of the header} */
  public String header() {
    return sent.header;
  }

  /** Whether requests of this method get a key. */
  boolean areFor(String method) {
    return methods == null || methods.contains(method);
  }

  String mint(RequestView request, Supplier<Instant> clock) {
    return Checks.notNull("idempotency key", source.mint(request, clock));
  }

  /** A derived key within the length that the server takes. */
  String fit(String derived) {
    if (sent.maxLength < LEAST_DERIVED) {
      throw Checks.bad("maxLength", sent.maxLength, LEAST_DERIVED + " or more for derived keys");
    }
    return derived.length() <= sent.maxLength ? derived : derived.substring(0, sent.maxLength);
  }

  String write(String key) {
    return sent.form.write(key, sent.maxLength);
  }

  /** The key in a header that the caller wrote. */
  String read(String wire) {
    return sent.form == KeyForm.QUOTED ? KeyForm.parseQuoted(wire).orElse(wire) : wire;
  }

  @Override
  public String toString() {
    return sent.header + " " + sent.form;
  }
}
