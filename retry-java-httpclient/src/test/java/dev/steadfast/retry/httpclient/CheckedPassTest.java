package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.RetryOptions;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passes of a body, signal by signal. */
class CheckedPassTest {
  private final List<Throwable> failures = new ArrayList<>();

  /** A body whose passes the test makes itself. */
  private RequestBody body() {
    BodyPublisher never = BodyPublishers.fromPublisher(subscriber -> {}, 1);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1/")).PUT(never).build();
    return RequestBody.of(request, RetryOptions.none());
  }

  private Pass pass(RequestBody body) {
    return new Pass(body);
  }

  /** One pass, between a publisher and a receiver that the test plays. */
  private final class Pass implements Flow.Subscription, Flow.Subscriber<ByteBuffer> {
    private final AttemptBody attempt;
    private final VerifyingSubscriber pass;
    private long asked; // of the publisher
    private boolean cancelled;
    private Flow.Subscription subscription;
    private long wanted; // by the receiver
    private int items;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private Throwable error;
    private boolean complete;

    Pass(RequestBody body) {
      attempt = new AttemptBody(body, null, failures::add, () -> 0);
      pass = new VerifyingSubscriber(this, attempt, body.pass());
      pass.onSubscribe(this);
    }

    Pass want(long n) {
      wanted += n;
      subscription.request(n);
      return this;
    }

    Pass give(byte... bytes) {
      assertTrue(asked > 0, "the publisher yields what it was asked for");
      asked--;
      pass.onNext(ByteBuffer.wrap(bytes));
      return this;
    }

    Pass end() {
      pass.onComplete();
      return this;
    }

    byte[] received() {
      return received.toByteArray();
    }

    @Override
    public void request(long n) {
      asked += n;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
    }

    @Override
    public void onNext(ByteBuffer buffer) {
      items++;
      assertTrue(items <= wanted, "the receiver gets no more than it wants");
      assertFalse(complete || error != null, "nothing follows the end");
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      received.writeBytes(bytes);
    }

    @Override
    public void onError(Throwable failure) {
      assertFalse(complete || error != null, "there is one end");
      error = failure;
    }

    @Override
    public void onComplete() {
      assertFalse(complete || error != null, "there is one end");
      complete = true;
    }
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  @Test
  void firstPassHoldsNothingBack() {
    Pass first = pass(body()).want(2).give(bytes(1, 2));
    assertArrayEquals(bytes(1, 2), first.received());
    assertEquals(1, first.asked);
  }

  @Test
  void laterPassHoldsItsLastBufferBack() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1, 2, 3)).end();
    Pass second = pass(body).want(1).give(bytes(1, 2));
    assertArrayEquals(bytes(), second.received());
    assertEquals(1, second.asked, "one more is asked for in place of the one that is held");
    second.give(bytes(3));
    assertArrayEquals(bytes(1, 2), second.received());
    second.end();
    assertArrayEquals(bytes(1, 2), second.received(), "the receiver wants no more yet");
    assertFalse(second.complete);
    second.want(1);
    assertArrayEquals(bytes(1, 2, 3), second.received());
    assertTrue(second.complete);
  }

  @Test
  void otherBytesEndBeforeTheLastBuffer() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1, 2, 3)).end();
    Pass second = pass(body).want(9).give(bytes(1)).give(bytes(2)).give(bytes(4));
    assertInstanceOf(RequestBodyChangedException.class, second.error);
    assertArrayEquals(bytes(1), second.received());
    assertTrue(second.cancelled);
    assertFalse(body.canBeSent());
    second.give(bytes(5)).end(); // signals under way
    assertArrayEquals(bytes(1), second.received());
    assertEquals(List.of(), failures, "it is no failure of the user's code");
  }

  @Test
  void bytesTooManyEndAtOnce() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1, 2)).end();
    Pass second = pass(body).want(9).give(bytes(1, 2)).give(bytes(3));
    assertInstanceOf(RequestBodyChangedException.class, second.error);
    assertArrayEquals(bytes(), second.received());
  }

  @Test
  void bytesTooFewEndBeforeTheLastBuffer() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1, 2)).end();
    Pass second = pass(body).want(9).give(bytes(1)).end();
    assertInstanceOf(RequestBodyChangedException.class, second.error);
    assertArrayEquals(bytes(), second.received());
  }

  @Test
  void nothingAfterSomethingIsCaught() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1)).end();
    assertInstanceOf(RequestBodyChangedException.class, pass(body).want(9).end().error);
  }

  @Test
  void somethingAfterNothingIsCaught() {
    RequestBody body = body();
    assertTrue(pass(body).want(9).end().complete);
    Pass second = pass(body).want(9).give(bytes(1));
    assertInstanceOf(RequestBodyChangedException.class, second.error);
    assertArrayEquals(bytes(), second.received());
  }

  @Test
  void nothingAfterNothingIsTheSame() {
    RequestBody body = body();
    pass(body).end();
    assertTrue(pass(body).end().complete);
  }

  @Test
  void passThatBrokeOffIsComparedAsFarAsItGot() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1, 2, 3));
    Pass same = pass(body).want(9).give(bytes(1, 2)).give(bytes(3, 4)).give(bytes(5)).end();
    assertArrayEquals(bytes(1, 2, 3, 4, 5), same.received());
    assertTrue(same.complete);
    Pass third = pass(body).want(9).give(bytes(1, 2, 3, 4, 6));
    assertInstanceOf(RequestBodyChangedException.class, third.error);

    RequestBody brokenOff = body();
    pass(brokenOff).want(9).give(bytes(1, 2, 3));
    Pass other = pass(brokenOff).want(9).give(bytes(1, 2)).give(bytes(4));
    assertInstanceOf(RequestBodyChangedException.class, other.error);
  }

  @Test
  void shorterPassIsNotForgottenForAnEvenShorterOne() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1, 2, 3));
    pass(body).want(9).give(bytes(1));
    Pass third = pass(body).want(9).give(bytes(1, 2)).give(bytes(4));
    assertInstanceOf(RequestBodyChangedException.class, third.error);
  }

  @Test
  void emptyBuffersTakeNoPart() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1)).give().end();
    Pass second = pass(body).want(1).give().give(bytes(1)).give().end();
    assertArrayEquals(bytes(1), second.received());
    assertTrue(second.complete);
    assertTrue(second.asked >= 1);
  }

  @Test
  void demandSaturates() {
    RequestBody body = body();
    pass(body).want(9).give(bytes(1)).end();
    Pass second = pass(body);
    second.wanted = Long.MAX_VALUE;
    second.subscription.request(Long.MAX_VALUE);
    second.asked = 9;
    second.subscription.request(Long.MAX_VALUE);
    second.asked = 9;
    second.give(bytes(1)).end();
    assertTrue(second.complete);
  }

  @Test
  void failureOfThePublisherIsTheUsers() {
    RequestBody body = body();
    Pass first = pass(body).want(9).give(bytes(1));
    IllegalStateException mine = new IllegalStateException("mine");
    first.pass.onError(mine);
    assertEquals(List.of(mine), failures);
    assertEquals(mine, first.error);
    assertNull(first.attempt.changed());
  }

  @Test
  void cancellingReachesThePublisher() {
    Pass first = pass(body());
    first.subscription.cancel();
    assertTrue(first.cancelled);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void sameBytesPassHoweverTheyAreCut(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      byte[] content = new byte[random.nextInt(40)];
      random.nextBytes(content);
      RequestBody body = body();
      boolean whole = random.nextBoolean();
      int first = whole ? content.length : random.nextInt(content.length + 1);
      play(pass(body), Arrays.copyOf(content, first), whole, random);
      Pass second = pass(body);
      play(second, content, true, random);
      assertTrue(second.complete);
      assertArrayEquals(content, second.received());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void changedBytesNeverPassWhole(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      byte[] content = new byte[1 + random.nextInt(40)];
      random.nextBytes(content);
      RequestBody body = body();
      play(pass(body), content, true, random);
      byte[] changed = changed(content, random);
      Pass second = pass(body);
      play(second, changed, true, random);
      assertInstanceOf(RequestBodyChangedException.class, second.error);
      assertTrue(second.received().length < Math.max(1, changed.length));
    }
  }

  private static byte[] changed(byte[] content, Random random) {
    byte[] changed = content.clone();
    switch (random.nextInt(3)) {
      case 0 -> changed[random.nextInt(content.length)] ^= (byte) (1 + random.nextInt(255));
      case 1 -> changed = Arrays.copyOf(content, random.nextInt(content.length));
      default -> changed = Arrays.copyOf(content, content.length + 1 + random.nextInt(5));
    }
    return changed;
  }

  /** A publisher that cuts at random, and a receiver that asks at random. */
  private static void play(Pass pass, byte[] content, boolean whole, Random random) {
    int at = 0;
    boolean ended = false;
    while (!pass.complete && pass.error == null) {
      boolean yields = pass.asked > 0 && at < content.length && random.nextBoolean();
      if (yields) {
        int length = random.nextInt(content.length - at + 1);
        pass.give(Arrays.copyOfRange(content, at, at + length));
        at += length;
      } else if (at == content.length && !ended) {
        ended = true;
        if (!whole) {
          return;
        }
        pass.end();
      } else {
        pass.want(1 + random.nextInt(3));
      }
    }
  }
}
