package dev.steadfast.retry.effects;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.internal.Checks;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One update: read, change, write under the condition that nobody else has written, and again after
 * a conflict. Used by one thread at a time.
 *
 * <p>If every attempt of the write was answered by a conflict, none was applied, and the caller's
 * function may be applied to what the server has now. If an answer was lost, the write may have
 * been applied, and the function must not be applied to its own result. So what is read next is
 * compared with what was written, and where that does not tell, the update ends.
 */
final class Update<Q, T> {
  private final ReadModifyWrite<Q, T> rules;
  private final Sender<Q> sender;
  private final Q template;
  private final Function<? super T, ? extends @Nullable T> change;

  // The value that was read last.
  private @Nullable T found;
  private @Nullable String version; // null also where the value itself carries the version
  private End conflict = End.CONTENDED;

  // The value that was written last.
  private @Nullable T written;
  private @Nullable Q write;
  private boolean lost; // an answer to it is lost, so it may have been applied
  private boolean judged; // a lost write is known not to have been applied

  private volatile EffectResult<T> soFar =
      new EffectResult<>(End.READ_FAILED, Effect.NEVER_SENT, null, null);

  Update(
      ReadModifyWrite<Q, T> rules,
      Sender<Q> sender,
      Q template,
      Function<? super T, ? extends @Nullable T> change) {
    this.rules = rules;
    this.sender = sender;
    this.template = template;
    this.change = Checks.notNull("change", change);
  }

  /** One read and one write. */
  CompletableFuture<EffectResult<T>> round() {
    Q read = rules.client.withDefault(template, "Cache-Control", "no-cache");
    // Servers weaken or change the ETag of what they compress.
    read = rules.client.withDefault(read, "Accept-Encoding", "identity");
    return sender.send(read).thenCompose(this::afterRead);
  }

  private CompletableFuture<EffectResult<T>> afterRead(Reply reply) {
    if (reply.status() != 200 || reply.failure() != null) {
      return ended(End.READ_FAILED, soFar.effect(), reply);
    }
    String tag = rules.versionInBody ? null : reply.strongTag();
    if (tag == null && !rules.versionInBody) {
      return ended(End.NO_VERSION, soFar.effect(), reply);
    }
    T value = Checks.notNull("value", rules.decode.apply(reply.body()));
    boolean unchanged = note(value, tag);
    soFar = new EffectResult<>(End.WRITE_FAILED, soFar.effect(), value, reply);
    if (!lost) {
      return change(value, reply);
    }
    // The server still shows what was there before the lost write. Sent again as it was, and under
    // the same condition, it cannot be applied twice.
    return unchanged ? send(Objects.requireNonNull(write)) : settle(value, reply);
  }

  /** Keeps what was read. Returns whether it is the same as before. */
  private boolean note(T value, @Nullable String tag) {
    boolean first = found == null;
    boolean sameValue = !first && Objects.deepEquals(found, value);
    boolean sameTag = !first && (rules.versionInBody ? sameValue : Objects.equals(version, tag));
    conflict = sameTag ? End.VERSION_UNCHANGED : sameValue ? End.VERSION_UNSTABLE : End.CONTENDED;
    found = value;
    version = tag;
    return sameTag && sameValue;
  }

  /** The server has another value than before the lost write: its own effect, or somebody's. */
  private CompletableFuture<EffectResult<T>> settle(T value, Reply reply) {
    Effect effect =
        Checks.notNull("effect", rules.ifLost.apply(Objects.requireNonNull(written), value));
    return switch (effect) {
      case SUCCEEDED -> ended(End.ALREADY_APPLIED, Effect.SUCCEEDED, reply);
      case UNKNOWN, ACCEPTED, OTHER_REQUEST -> ended(End.ANSWER_LOST, Effect.UNKNOWN, reply);
      case FAILED, NEVER_SENT -> {
        lost = false;
        judged = true;
        soFar = new EffectResult<>(End.WRITE_FAILED, Effect.FAILED, value, reply);
        yield change(value, reply);
      }
    };
  }

  private CompletableFuture<EffectResult<T>> change(T value, Reply reply) {
    @Nullable T next = change.apply(value);
    if (next == null) {
      return ended(End.UNCHANGED, soFar.effect(), reply); // that of earlier rounds
    }
    Q request = Checks.notNull("request", request(next, reply));
    String tag = version;
    written = next;
    write = tag == null ? request : rules.client.withHeader(request, "If-Match", tag);
    return send(write);
  }

  private Q request(T next, Reply reply) {
    if (rules.writing != null) {
      return rules.writing.apply(template, next);
    }
    String type = reply.header("Content-Type");
    Q typed = type == null ? template : rules.client.withDefault(template, "Content-Type", type);
    return rules.client.put(typed, rules.encode.apply(next));
  }

  private CompletableFuture<EffectResult<T>> send(Q request) {
    if (sender.isOutOfTime()) {
      return CompletableFuture.completedFuture(
          outOfTime(new TimeoutException("deadline exceeded")));
    }
    soFar = new EffectResult<>(End.WRITE_FAILED, Effect.UNKNOWN, found, null);
    return sender.send(request).thenApply(this::afterWrite);
  }

  private EffectResult<T> afterWrite(Reply reply) {
    Effect effect = reply.effect();
    if (reply.accepted()) {
      return new EffectResult<>(End.ACCEPTED, effect, written, reply);
    }
    RetryReport report = reply.report();
    boolean conflicts = reply.status() == 412 || reply.status() == 409;
    if (!conflicts || report == null || report.serverDelay().isPresent()) {
      return new EffectResult<>(End.WRITE_FAILED, lost ? Effect.UNKNOWN : effect, found, reply);
    }
    // The value that was read may have been older than the lost write.
    lost |= judged || effect != Effect.FAILED;
    judged = false;
    soFar = new EffectResult<>(conflict, lost ? Effect.UNKNOWN : Effect.FAILED, found, reply);
    return soFar;
  }

  private CompletableFuture<EffectResult<T>> ended(End end, Effect effect, Reply reply) {
    return CompletableFuture.completedFuture(new EffectResult<>(end, effect, found, reply));
  }

  /** The result if the time was up before a round began, or in the middle of one. */
  EffectResult<T> outOfTime(TimeoutException timeUp) {
    sender.cancel(); // first, so that a write is in the result or is not sent
    EffectResult<T> known = soFar;
    return new EffectResult<>(
        known.end(), known.effect(), known.value().orElse(null), Reply.failed(timeUp));
  }
}
