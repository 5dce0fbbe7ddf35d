package dev.steadfast.retry.tck;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that the client sends. A thread of its own reads ahead all the time, since reading is
 * the only way to notice that a client has left while the server holds its answer. The buffer is
 * unbounded for the same reason: a reader that stops at a full buffer notices nothing.
 *
 * <p>End of stream counts as leaving; a client that only shuts down its output is not told apart.
 */
final class ClientInput implements Runnable {
  private final InputStream in;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<ByteBuffer> blocks = new ArrayDeque<>();
  private boolean discarding;
  private boolean ended;

  /** The thread to wake when the client leaves, if one waits for something else; or null. */
  private @Nullable Thread held;

  ClientInput(InputStream in) {
    this.in = in;
  }

  /** Reads until the client leaves or the socket is closed. */
  @Override
  public void run() {
    byte[] block = new byte[8192];
    try {
      for (int n = in.read(block); n >= 0; n = in.read(block)) {
        add(ByteBuffer.wrap(Arrays.copyOf(block, n)));
      }
    } catch (IOException e) {
      // A reset is a way to leave, and a close of the server ends the connection as well.
    } finally {
      end();
    }
  }

  /** The next byte, or -1 when the client has left and everything is read. */
  int read() {
    lock.lock();
    try {
      return awaitBytes() ? next().get() & 0xff : -1;
    } finally {
      lock.unlock();
    }
  }

  /** Exactly the given number of bytes. */
  byte[] read(int count) throws EOFException {
    byte[] bytes = new byte[count];
    lock.lock();
    try {
      int done = 0;
      while (done < count) {
        if (!awaitBytes()) {
          throw new EOFException("the client left " + (count - done) + " bytes early");
        }
        int n = Math.min(next().remaining(), count - done);
        next().get(bytes, done, n);
        done += n;
      }
    } finally {
      lock.unlock();
    }
    return bytes;
  }

  /** Keeps nothing from now on: the connection serves no further request. */
  void discard() {
    lock.lock();
    try {
      discarding = true;
      blocks.clear();
    } finally {
      lock.unlock();
    }
  }

  boolean ended() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the client has left or the socket is closed. */
  void awaitEnd() {
    lock.lock();
    try {
      while (!ended) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the latch; false if the client left, or the server closed, before it opened. */
  boolean hold(CountDownLatch latch) {
    lock.lock();
    try {
      if (ended) {
        return false;
      }
      held = Thread.currentThread();
    } finally {
      lock.unlock();
    }
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    } finally {
      release();
    }
  }

  private void release() {
    lock.lock();
    try {
      held = null;
      // The client may leave just after the latch opened; that interrupt has no addressee any more.
      Thread.interrupted();
    } finally {
      lock.unlock();
    }
  }

  private void add(ByteBuffer block) {
    lock.lock();
    try {
      if (!discarding) {
        blocks.add(block);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
      if (held != null) {
        held.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitBytes() {
    while (next() == null && !ended) {
      changed.awaitUninterruptibly();
    }
    return next() != null;
  }

  /** The first block with bytes left, or null. */
  private ByteBuffer next() {
    while (!blocks.isEmpty() && !blocks.element().hasRemaining()) {
      blocks.remove();
    }
    return blocks.peek();
  }
}
