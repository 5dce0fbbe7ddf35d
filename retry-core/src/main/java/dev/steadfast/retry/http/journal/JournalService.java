package dev.steadfast.retry.http.journal;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.RetryLoop;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.Journaling.Codec;
import dev.steadfast.retry.http.Journaling.Journal;
import dev.steadfast.retry.http.Journaling.Kept;
import dev.steadfast.retry.http.RequestView;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries out journaled operations. The module {@code retry-operations} does it, and is found by
 * {@link java.util.ServiceLoader}.
 */
public interface JournalService {
  // Why it is like this: docs/decisions/journaled-operations.md

  /** A journal that guards this process alone, for a client that was given none. */
  Journal inProcess();

  /**
   * Begins an operation. Nothing is claimed or sent yet.
   *
   * @throws IllegalArgumentException if it cannot be kept
   */
  Journaled operation(Journal journal, Call call);

  /**
   * The names that the options of an operation give for the journal.
   *
   * @param principal for whom; empty for nobody in particular
   * @param key the business key
   * @param fingerprint tells two requests apart in place of the body; null for the body
   * @param waits whether to wait where somebody else works on it
   * @param resumed the operation, if another call or process began it; null otherwise
   */
  record Naming(
      String name,
      String principal,
      String key,
      @Nullable String fingerprint,
      boolean waits,
      @Nullable Resumed resumed) {
    /** The name alone: the key may be a secret. */
    @Override
    public String toString() {
      return name;
    }
  }

  /** An operation that another call or process began, and the journal that has it. */
  record Resumed(Journal journal, Kept due) {}

  /**
   * An exchange as it goes over the wire.
   *
   * @param request the request as the caller wrote it
   * @param addedHeaders the headers that the operation adds to each attempt, beside the key
   * @param keyRetention how long the server keeps keys
   * @param safety why the request may be sent again
   */
  record Sent(
      RequestView request,
      Map<String, String> addedHeaders,
      Journaling.@Nullable Key key,
      Duration keyRetention,
      Evidence.Safety safety) {}

  /** A call that is to be journaled; its bound is {@link Long#MAX_VALUE} for none. */
  record Call(Naming naming, Sent sent, RetryPlan plan, OperationInfo info, long boundNanos) {}

  /** A journaled operation of a client. */
  interface Journaled {
    /** The part of the operation that the journal keeps. */
    Kept intent();

    /** The loop that carries it out. */
    <R> RetryLoop<R> loop(RetryPlan with, RetryTransport<R> transport, Codec<R> codec);

    /** The longest body of an answer that is kept, in bytes. */
    int mostAnswerBytes();
  }
}
