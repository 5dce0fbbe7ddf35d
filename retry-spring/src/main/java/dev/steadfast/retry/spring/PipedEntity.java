package dev.steadfast.retry.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import org.jspecify.annotations.Nullable;

/** A body that one thread writes while another one sends it, once. */
final class PipedEntity extends AbstractHttpEntity {
  private final long length;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private byte @Nullable [] next; // written and not sent yet
  private long written;
  private boolean ended;
  private boolean broken; // the writer has given up
  private boolean over; // nobody sends it any more

  /**
   * A body.
   *
   * @param length the declared length in bytes; negative for none
   */
  PipedEntity(long length) {
    super((ContentType) null, null, length < 0); // the type is among the headers
    this.length = length;
  }

  /** Takes the body, and fails when nobody wants more of it. */
  OutputStream sink() {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        put(new byte[] {(byte) one});
      }

      @Override
      public void write(byte[] bytes, int offset, int count) throws IOException {
        put(Arrays.copyOfRange(bytes, offset, offset + count));
      }

      @Override
      public void close() {
        set(() -> ended = true);
      }
    };
  }

  /** The writer has failed, so the rest never comes. */
  void breakOff() {
    set(() -> broken = true);
  }

  /** The request is over. */
  void abandon() {
    set(() -> over = true);
  }

  private void set(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void put(byte[] bytes) throws IOException {
    if (bytes.length == 0) {
      return;
    }
    lock.lock();
    try {
      while (next != null && !over) {
        changed.await();
      }
      if (over) {
        throw new IOException("the request is over");
      }
      written += bytes.length;
      if (length >= 0 && written > length) {
        broken = true;
        changed.signalAll();
        throw new IOException("the body is longer than " + length + " bytes");
      }
      next = bytes;
      changed.signalAll();
    } catch (InterruptedException interrupted) {
      throw Wire.interrupted(interrupted);
    } finally {
      lock.unlock();
    }
  }

  private byte @Nullable [] take() throws IOException {
    lock.lock();
    try {
      while (next == null && !ended && !broken) {
        changed.await();
      }
      if (broken || (next == null && length >= 0 && written < length)) {
        throw new IOException(broken ? "the body was broken off" : "the body is too short");
      }
      byte[] taken = next;
      next = null;
      changed.signalAll();
      return taken;
    } catch (InterruptedException interrupted) {
      throw Wire.interrupted(interrupted);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    for (byte[] bytes = take(); bytes != null; bytes = take()) {
      out.write(bytes);
    }
  }

  @Override
  public InputStream getContent() {
    throw new UnsupportedOperationException("a body that is written");
  }

  @Override
  public long getContentLength() {
    return length;
  }

  @Override
  public boolean isStreaming() {
    return true;
  }

  @Override
  public void close() {
    abandon();
  }
}
