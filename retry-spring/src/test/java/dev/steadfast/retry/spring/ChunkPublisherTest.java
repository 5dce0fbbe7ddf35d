package dev.steadfast.retry.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

final class ChunkPublisherTest {
  /** Asks for a number of chunks at once. */
  private static final class Taking implements Flow.Subscriber<ByteBuffer> {
    final List<String> seen = new ArrayList<>();
    private final int chunks;

    Taking(int chunks) {
      this.chunks = chunks;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(chunks);
    }

    @Override
    public void onNext(ByteBuffer chunk) {
      seen.add(chunk.remaining() + " bytes");
    }

    @Override
    public void onError(Throwable failure) {
      seen.add(failure.getMessage());
    }

    @Override
    public void onComplete() {
      seen.add("complete");
    }
  }

  private final ChunkPublisher chunks = new ChunkPublisher(-1);
  private final Taking taking = new Taking(2);

  @Test
  void passesChunksAndTheEndOn() throws Exception {
    chunks.subscribe(taking);
    chunks.write(new byte[3]);
    chunks.write(new byte[4]);
    chunks.close();
    chunks.breakOff();
    assertEquals(List.of("3 bytes", "4 bytes", "complete"), taking.seen);
  }

  @Test
  void anAnswerBeforeTheEndStopsTheWriter_andItsEndBreaksTheBodyOff() throws Exception {
    chunks.subscribe(taking);
    chunks.write(new byte[3]);
    chunks.abandon();
    assertThrows(IOException.class, () -> chunks.write(new byte[4]));
    chunks.breakOff();
    assertEquals(List.of("3 bytes", "answered before the end of the request body"), taking.seen);
  }

  @Test
  void anAnswerBetweenTheLastByteAndTheEndIsNoFailure() throws Exception {
    chunks.subscribe(taking);
    chunks.write(new byte[3]);
    chunks.abandon();
    chunks.close();
    assertEquals(List.of("3 bytes", "complete"), taking.seen);
  }

  @Test
  void isNotSentTwice() {
    chunks.subscribe(taking);
    Taking again = new Taking(1);
    chunks.subscribe(again);
    assertEquals(List.of("the request body was too long to keep, and is sent once"), again.seen);
    assertEquals(List.of(), taking.seen);
  }
}
