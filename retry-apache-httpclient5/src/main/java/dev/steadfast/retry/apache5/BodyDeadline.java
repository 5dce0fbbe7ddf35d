package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The deadline that was set for one operation, by its options or by the scope that it is made in:
 * it holds while the caller reads the body, too.
 */
final class BodyDeadline {
  private final RetryPlan plan;
  private final long endNanos;

  private BodyDeadline(RetryPlan plan, long nanos) {
    this.plan = plan;
    this.endNanos = plan.environment().ticker().getAsLong() + nanos;
  }

  /**
   * The deadline of an operation that begins now, null if it has none.
   *
   * @param spentNanos how much of the time of its options is over
   */
  static @Nullable BodyDeadline of(HttpOperation operation, long spentNanos) {
    CallContext scope = operation.plan().callContext();
    long bound = left(operation.boundNanos(), spentNanos);
    if (scope != null) {
      bound = Math.min(bound, scope.remainingNanos());
    }
    return bound == Long.MAX_VALUE ? null : new BodyDeadline(operation.plan(), bound);
  }

  /** The time that is left of a bound; {@link Long#MAX_VALUE} for none. */
  static long left(long boundNanos, long elapsedNanos) {
    return boundNanos == Long.MAX_VALUE ? boundNanos : Math.max(0, boundNanos - elapsedNanos);
  }

  /** Sets it on the body of a response. */
  void bound(ClassicHttpResponse response, WireTrace wire) {
    HttpEntity entity = response.getEntity();
    if (entity != null && entity.isStreaming()) {
      response.setEntity(new Bounded(entity, wire, this));
    }
  }

  /** Runs something at the deadline. */
  RetryScheduler.Task end(Runnable task) {
    long left = Math.max(0, endNanos - plan.environment().ticker().getAsLong());
    return plan.timers().schedule(left, task);
  }

  /** The exception with which reading ends at the deadline. */
  static IOException exceeded(@Nullable Exception broken) {
    IOException timeout = new SocketTimeoutException("timeout: " + TimeLimit.DEADLINE);
    timeout.initCause(broken);
    return timeout;
  }

  /** A body whose connection is closed at the deadline. */
  private static final class Bounded extends HttpEntityWrapper {
    private final RetryScheduler.Task timer;
    private volatile boolean timeUp;

    Bounded(HttpEntity entity, WireTrace wire, BodyDeadline deadline) {
      super(entity);
      this.timer =
          deadline.end(() -> {
            timeUp = true;
            TimerScheduler.system().cancelOnWire(wire::drop);
          });
    }

    @Override
    public InputStream getContent() throws IOException {
      return new Content(super.getContent());
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
      try (InputStream content = getContent()) {
        content.transferTo(out);
      }
    }

    @Override
    public void close() throws IOException {
      timer.cancel();
      super.close();
    }

    private IOException failure(IOException broken) {
      if (!timeUp) {
        return broken;
      }
      return exceeded(broken);
    }

    private final class Content extends FilterInputStream {
      Content(InputStream content) {
        super(content);
      }

      @Override
      public int read() throws IOException {
        try {
          return ended(in.read());
        } catch (IOException broken) {
          throw failure(broken);
        }
      }

      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        try {
          return ended(in.read(into, offset, length));
        } catch (IOException broken) {
          throw failure(broken);
        }
      }

      private int ended(int read) {
        if (read < 0) {
          timer.cancel();
        }
        return read;
      }

      @Override
      public void close() throws IOException {
        timer.cancel();
        in.close();
      }
    }
  }
}
