package dev.steadfast.retry.apache5;

import java.util.function.BooleanSupplier;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/**
 * The request body of one operation: whether it was sent, and what it was then. An entity may say
 * that it is repeatable and yield nothing the second time, because its stream has been read. So
 * what it yields in the first attempt is counted and summed up, and compared in each later one.
 * Bytes in memory are not. Safe for use by many threads.
 */
final class SentBody {
  private final BooleanSupplier repeatable;
  private final boolean present;
  private final boolean inMemory;

  private volatile boolean written;
  private volatile @Nullable BodyChangedException changed;

  // Guarded by this: what the first attempt that wrote it has yielded.
  private @Nullable WireTrace by;
  private @Nullable Class<?> kind;
  private long bytes = -1;
  private long sum;

  SentBody(@Nullable HttpEntity entity) {
    this.present = entity != null;
    this.repeatable = () -> entity == null || entity.isRepeatable();
    this.inMemory = entity instanceof ByteArrayEntity || entity instanceof StringEntity;
  }

  /** The body of an asynchronous client, which does not show whether it is in memory. */
  SentBody(@Nullable AsyncEntityProducer producer) {
    this.present = producer != null;
    this.repeatable = () -> producer == null || producer.isRepeatable();
    this.inMemory = false;
  }

  /** Whether its bytes are compared. */
  boolean isWatched() {
    return !inMemory && present;
  }

  /** Whether it cannot be sent again. */
  boolean spent() {
    return changed != null || (written && !repeatable.getAsBoolean());
  }

  @Nullable BodyChangedException changed() {
    return changed;
  }

  /** The body begins to go over the wire; null if its bytes need not be watched. */
  synchronized @Nullable BodyPass pass(EntityDetails onWire, WireTrace attempt) {
    if (inMemory) {
      return null;
    }
    boolean known = bytes >= 0 && onWire.getClass().equals(kind) && !attempt.equals(by);
    return new BodyPass(onWire.getClass(), known ? new BodyPass.Yield(bytes, sum) : null);
  }

  void begun() {
    written = true;
  }

  synchronized void ended(BodyPass pass, WireTrace attempt) {
    if (bytes < 0) {
      by = attempt;
      kind = pass.kind();
      bytes = pass.yielded().bytes();
      sum = pass.yielded().sum();
    }
  }

  BodyChangedException changed(BodyPass.Yield now, BodyPass.Yield before) {
    BodyChangedException made = new BodyChangedException(now, before);
    changed = made;
    return made;
  }
}
