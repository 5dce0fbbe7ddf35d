package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/**
 * The answer of an attempt of an asynchronous client, on its way to the caller. It holds the events
 * of its body in order until it is certain that the caller gets it, and then passes them on.
 * Nothing of an answer that another attempt follows reaches the caller. Used by the thread of the
 * connection, and by the one that hands the answer over.
 */
final class AsyncAnswer extends Apache5Answer<HttpResponse> implements AsyncDataConsumer {
  private final @Nullable EntityDetails details; // null: without a body

  private boolean passesOn; // guarded by this
  private @Nullable List<Event> held; // guarded by this; null: nothing

  private volatile @Nullable AsyncExecCallback callers;
  private volatile @Nullable AsyncDataConsumer consumer;
  private volatile @Nullable CapacityChannel capacity;
  private volatile RetryScheduler.@Nullable Task timer;
  private volatile @Nullable IOException timeUp; // the end at the deadline
  private volatile boolean ended; // nothing more comes
  private volatile boolean over; // the caller has heard of the end, or never will

  /** A part of the body, or its end. */
  private interface Event {
    void run() throws HttpException, IOException;
  }

  AsyncAnswer(HttpResponse response, @Nullable EntityDetails details, @Nullable WireTrace wire) {
    super(response, wire);
    this.details = details;
  }

  /** Makes an answer that a journal has kept. */
  static AsyncAnswer kept(ResponseView head, byte[] bytes) {
    HttpResponse response = saved(new BasicHttpResponse(head.status()), head);
    EntityDetails details = new BasicEntityDetails(bytes.length, type(head));
    AsyncAnswer answer = new AsyncAnswer(response, details, null);
    answer.whole(bytes);
    if (bytes.length > 0) {
      answer.hold(ByteBuffer.wrap(bytes));
    }
    answer.hold(() -> answer.endStream(List.of()));
    answer.completed();
    return answer;
  }

  // ---- events of the client

  private synchronized boolean hold(Event event) {
    if (passesOn) {
      return false;
    }
    List<Event> waiting = held == null ? new ArrayList<>() : held;
    held = waiting;
    return waiting.add(event);
  }

  private synchronized boolean hold(ByteBuffer data) {
    if (passesOn) {
      return false;
    }
    byte[] part = new byte[data.remaining()]; // the client uses its buffer again
    data.get(part);
    return hold(() -> passOn(ByteBuffer.wrap(part)));
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    capacity = channel;
    if (callers != null) {
      askFor(channel);
    }
  }

  private void askFor(CapacityChannel channel) throws IOException {
    AsyncDataConsumer to = consumer;
    if (to == null) {
      channel.update(Integer.MAX_VALUE); // as the client does for a body that nobody wants
    } else {
      to.updateCapacity(channel);
    }
  }

  @Override
  public void consume(ByteBuffer data) throws IOException {
    if (!hold(data)) {
      passOn(data);
    }
  }

  private void passOn(ByteBuffer data) throws IOException {
    AsyncDataConsumer to = consumer;
    if (to == null || over) {
      data.position(data.limit());
    } else {
      to.consume(data);
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    if (!hold(() -> endStream(trailers))) {
      endStream(trailers);
    }
  }

  private void endStream(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    AsyncDataConsumer to = consumer;
    if (to != null && !over) {
      to.streamEnd(trailers);
    }
  }

  @Override
  public void releaseResources() {
    if (!hold(this::release)) {
      release();
    }
  }

  private void release() {
    AsyncDataConsumer to = consumer;
    if (to != null) {
      to.releaseResources();
    }
  }

  /** The exchange is over. */
  void completed() {
    over(null);
  }

  /** The exchange broke. */
  void failed(Exception cause) {
    over(cause);
  }

  private void over(@Nullable Exception cause) {
    ended = true;
    if (!hold(() -> end(cause))) {
      end(cause);
    }
  }

  private void end(@Nullable Exception cause) {
    AsyncExecCallback to = callers;
    synchronized (this) {
      if (over || to == null) {
        return;
      }
      over = true;
    }
    RetryScheduler.Task running = timer;
    if (running != null) {
      running.cancel();
    }
    if (cause == null) {
      to.completed();
    } else {
      IOException late = timeUp;
      to.failed(late == null ? cause : late);
    }
  }

  // ---- the caller

  /** The caller gets the answer. */
  void handTo(AsyncExecCallback to) {
    callers = to;
    try {
      consumer = to.handleResponse(response(), details);
      CapacityChannel channel = capacity;
      if (channel != null) {
        askFor(channel);
      }
      for (List<Event> next = take(); next != null; next = take()) {
        for (Event each : next) {
          each.run();
        }
      }
    } catch (HttpException | IOException | RuntimeException thrown) {
      fail(thrown);
    } catch (Error thrown) { // such as a class that is missing; else the call would have no end
      fail(new IOException("the response consumer failed: " + thrown, thrown));
    }
  }

  private void fail(Exception thrown) {
    stop();
    end(thrown);
    drop();
  }

  private synchronized @Nullable List<Event> take() {
    List<Event> now = held;
    held = null;
    passesOn = now == null;
    return now;
  }

  /** Drops all that is held or still to come. */
  private synchronized void drop() {
    over = true;
    passesOn = true;
    held = null;
  }

  private void stop() {
    WireTrace of = wire();
    if (of != null) {
      of.drop();
    }
  }

  /** The caller does not get the answer. */
  void discard() {
    drop();
    stop();
  }

  /** Sets a deadline on what is still to come. */
  void bound(BodyDeadline deadline) {
    if (ended) {
      return;
    }
    RetryScheduler.Task task =
        deadline.schedule(() -> {
          IOException late = BoundedEntity.exceeded(null);
          timeUp = late;
          TimerScheduler.system().cancelOnWire(this::stop);
          failed(late); // a client that was closed meanwhile reports no end
        });
    timer = task;
    if (ended) {
      task.cancel();
    }
  }
}
