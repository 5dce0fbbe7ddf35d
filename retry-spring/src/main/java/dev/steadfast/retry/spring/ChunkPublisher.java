package dev.steadfast.retry.spring;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A request body that one thread writes while the JDK's client sends it, once. */
final class ChunkPublisher extends OutputStream implements BodyPublisher {
  private final long length;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by the lock
  private boolean asked;
  private @Nullable Subscriber<? super ByteBuffer> receiver;
  private long wanted; // chunks
  private boolean over; // nothing more is taken
  private boolean told; // the receiver knows that the body has ended

  /**
   * Nothing is written yet.
   *
   * @param length the length of the body in bytes, negative if it is not known
   */
  ChunkPublisher(long length) {
    this.length = length;
  }

  @Override
  public long contentLength() {
    return length;
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    if (askedBefore()) {
      // The client asks again for a redirect or a challenge, which it follows by itself.
      subscriber.onSubscribe(new Demand(new ChunkPublisher(0)));
      subscriber.onError(
          new IOException("the request body was too long to keep, and is sent once"));
      return;
    }
    subscriber.onSubscribe(new Demand(this));
    change(() -> receiver = subscriber); // from now on the writing thread calls it
  }

  private boolean askedBefore() {
    lock.lock();
    try {
      boolean before = asked;
      asked = true;
      return before;
    } finally {
      lock.unlock();
    }
  }

  private record Demand(ChunkPublisher of) implements Subscription {
    @Override
    public void request(long more) {
      of.change(() -> of.wanted = Math.max(of.wanted, of.wanted + more)); // unchanged on overflow
    }

    @Override
    public void cancel() {
      of.abandon();
    }
  }

  /** Nothing more is taken: the request has its answer, or failed. */
  void abandon() {
    change(() -> over = true);
  }

  boolean isOver() {
    lock.lock();
    try {
      return over;
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable what) {
    lock.lock();
    try {
      what.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    if (count == 0) {
      return;
    }
    // The client sends it later, and the caller may use its array again.
    ByteBuffer chunk = ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + count));
    lock.lock();
    try {
      await(1);
      wanted--;
    } finally {
      lock.unlock();
    }
    receiver().onNext(chunk);
  }

  /** The end of the body. */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      await(0);
    } finally {
      lock.unlock();
    }
    if (toBeTold()) {
      receiver().onComplete();
    }
  }

  private void await(int chunks) throws IOException {
    try {
      while (!over && (receiver == null || wanted < chunks)) {
        changed.await();
      }
    } catch (InterruptedException interrupted) {
      throw Wire.interrupted(interrupted);
    }
    if (receiver == null || (over && chunks > 0)) {
      throw new IOException("the request takes no more of its body");
    }
  }

  /** The caller is done with the answer. A body that has not ended is broken off. */
  void breakOff() {
    fail(new IOException("answered before the end of the request body"));
  }

  /** The rest of the body never comes. */
  void fail(Throwable reason) {
    if (toBeTold()) {
      receiver().onError(reason);
    }
  }

  private boolean toBeTold() {
    lock.lock();
    try {
      boolean first = !told && receiver != null;
      told = true;
      return first;
    } finally {
      lock.unlock();
    }
  }

  private Subscriber<? super ByteBuffer> receiver() {
    lock.lock();
    try {
      return Objects.requireNonNull(receiver);
    } finally {
      lock.unlock();
    }
  }
}
