package dev.steadfast.retry.http;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.http.journal.JournalService;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Digest;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The key of an operation.
 *
 * @param header where it is written
 * @param key null for none
 * @param line as it stands in the request
 * @param added whether it is added to the request; false for one that the caller has written
 */
record OperationKey(String header, @Nullable String key, @Nullable String line, boolean added) {
  private static final OperationKey NONE = new OperationKey("", null, null, false);

  /** The key of an operation: the caller's own, one that derives from a name, or a minted one. */
  static OperationKey of(
      @Nullable IdempotencyKeys keys, RequestView request, RetryOptions options, RetryPlan plan) {
    IdempotencyKeys form = keys == null ? IdempotencyKeys.randomUuid() : keys;
    JournalService.Naming naming = options.naming();
    if (naming != null && naming.resumed() != null) {
      return resumed(form, naming.resumed().due().sentKey());
    }
    List<String> written = request.headers(form.header());
    if (!written.isEmpty()) {
      return written(form, written);
    }
    String key = options.idempotencyKey().orElse(null);
    if (key == null) {
      key = derived(form, request, options.derivedKey(), plan.callContext());
    }
    if (key == null && keys != null && keys.areFor(request.method())) {
      key =
          naming == null
              ? keys.mint(request, plan.environment().clock())
              : keys.fit(wireKey(naming));
    }
    return added(form, key);
  }

  /**
   * {@return this key for the same request when it comes again, perhaps made anew without its key;
   * null if that request has a key of its own}
   */
  @Nullable OperationKey again(
      @Nullable IdempotencyKeys keys, RequestView request, RetryOptions options) {
    IdempotencyKeys form = keys == null ? IdempotencyKeys.randomUuid() : keys;
    String named = options.idempotencyKey().orElse(key);
    List<String> written = request.headers(present() ? header : form.header());
    boolean own = !written.isEmpty() && !written.equals(line == null ? null : List.of(line));
    if (own || !Objects.equals(named, key)) {
      return null;
    }
    return new OperationKey(header, key, line, present() && written.isEmpty());
  }

  // A resumed operation keeps its key, even if this client is configured to send another one.
  private static OperationKey resumed(IdempotencyKeys form, Journaling.@Nullable Key key) {
    return key == null
        ? NONE
        : new OperationKey(key.header(), form.read(key.line()), key.line(), true);
  }

  // The key derives from that of the inbound request. So keys pass from layer to layer, down to a
  // system that honours them.
  private static @Nullable String derived(
      IdempotencyKeys form,
      RequestView request,
      @Nullable String name,
      @Nullable CallContext callContext) {
    if (callContext == null || name == null) {
      return null;
    }
    String derived = callContext.deriveKey(name, () -> RequestHash.fingerprint(request));
    return derived == null ? null : form.fit(derived);
  }

  // The same for the same operation, whoever sends it.
  private static String wireKey(JournalService.Naming naming) {
    List<String> parts = List.of("journal", naming.principal(), naming.name(), naming.key());
    Digest digest = new Digest().addNumber(parts.size());
    parts.forEach(part -> digest.add(Checks.wellFormed("journaled", part)));
    return digest.hex();
  }

  /** The key that the caller has written into the request. */
  static OperationKey written(IdempotencyKeys form, List<String> lines) {
    String key = form.read(checked(lines));
    if (key.length() > IdempotencyKeys.DEFAULT_MAX_LENGTH) {
      throw Checks.bad(
          "idempotency key",
          "of " + key.length() + " characters",
          "1 to " + IdempotencyKeys.DEFAULT_MAX_LENGTH);
    }
    return Checks.isBlank(key) ? NONE : new OperationKey(form.header(), key, lines.get(0), false);
  }

  private static String checked(List<String> lines) {
    if (lines.size() > 1) {
      throw Checks.bad("idempotency key header", lines.size() + " lines", "one");
    }
    Checks.secret(
        "idempotency key", lines.get(0), c -> !Character.isISOControl(c), "no control characters");
    return lines.get(0);
  }

  /** A key that is added to the request, null for none. */
  static OperationKey added(IdempotencyKeys form, @Nullable String key) {
    return key == null ? NONE : new OperationKey(form.header(), key, form.write(key), true);
  }

  /** The key that goes over the wire, null for nothing. */
  Journaling.@Nullable Key sent() {
    return line == null ? null : new Journaling.Key(header, line);
  }

  boolean present() {
    return key != null;
  }

  /** Whether a request with these headers carries it, byte for byte. */
  boolean isIn(Function<String, List<String>> headers) {
    List<String> lines = headers.apply(header);
    return lines.size() == 1 && lines.get(0).equals(line);
  }

  /** Whether the header of that name, in any case, is this key, added to the request. */
  boolean isAddedAs(String name) {
    return added && header.equalsIgnoreCase(name);
  }

  /** The line that is added to the request, null for nothing. */
  @Nullable String addedLine() {
    return added ? line : null;
  }
}
