package dev.steadfast.retry.spring;

import java.io.BufferedOutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;
import org.jspecify.annotations.Nullable;

/**
 * A body that is written anew each time the JDK's client asks for it, on a thread of its own, as in
 * Spring's own request factory.
 */
final class WrittenAgain implements BodyPublisher {
  private final RepeatableBody body;
  private volatile @Nullable ChunkPublisher latest;

  WrittenAgain(RepeatableBody body) {
    this.body = body;
  }

  @Override
  public long contentLength() {
    return body.length();
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    end(); // the request before may have had its answer in the middle of the body
    ChunkPublisher chunks = new ChunkPublisher(body.length());
    latest = chunks;
    chunks.subscribe(subscriber);
    Thread writer = new Thread(() -> write(chunks), "steadfast-upload");
    writer.setDaemon(true);
    writer.start();
  }

  private void write(ChunkPublisher chunks) {
    try {
      BufferedOutputStream out = new BufferedOutputStream(chunks);
      body.writeTo(out);
      chunks.close();
    } catch (Throwable failed) {
      if (!chunks.isOver()) { // or the failure is that of the request
        chunks.fail(failed);
      }
    }
  }

  /** The request is over: the writing thread is told. */
  void end() {
    ChunkPublisher chunks = latest;
    if (chunks != null) {
      chunks.breakOff();
      chunks.abandon();
    }
  }
}
