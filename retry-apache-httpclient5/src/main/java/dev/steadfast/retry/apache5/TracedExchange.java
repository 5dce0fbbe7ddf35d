package dev.steadfast.retry.apache5;

import dev.steadfast.retry.apache5.WireTrace.Place;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** One exchange of an attempt, seen between the connection and the rest of HttpClient. */
final class TracedExchange implements AsyncClientExchangeHandler {
  private final AsyncClientExchangeHandler client;
  private final WireTrace wire;
  private final boolean beside;

  private volatile @Nullable HttpRequest sent;
  private volatile @Nullable WatchedOutput output; // null: no body, or none that is watched
  private volatile boolean tunnel; // a CONNECT
  private volatile boolean answered;
  private volatile boolean over;
  private volatile boolean broken;
  private volatile boolean reset; // its stream alone, and the connection goes on
  private volatile @Nullable Throwable ofClient; // not from the wire
  private @Nullable Throwable ofChannel; // thrown to the client when it sent its request

  TracedExchange(AsyncClientExchangeHandler client, WireTrace wire, boolean beside) {
    this.client = client;
    this.wire = wire;
    this.beside = beside;
  }

  /** Whether the server has reset this stream alone: the connection has others. */
  boolean isReset() {
    return reset;
  }

  /** Whether request and answer went over the wire as a whole. */
  boolean isWhole() {
    WatchedOutput out = output;
    return over && !broken && (out == null || out.isWhole());
  }

  private interface ClientCall<E extends Exception> {
    void run() throws E, IOException;
  }

  /** Passes on to the rest of the client, and notes exceptions that do not come from the wire. */
  @SuppressWarnings("ReferenceEquality") // an equal one need not come from there
  private <E extends Exception> void toClient(ClientCall<E> step) throws E, IOException {
    try {
      step.run();
    } catch (Throwable thrown) {
      WatchedOutput out = output;
      if (thrown != ofChannel && (out == null || !out.failedOnWire())) {
        ofClient = thrown;
      }
      throw thrown;
    }
  }

  @Override
  public void produceRequest(RequestChannel channel, HttpContext context)
      throws HttpException, IOException {
    Runnable leave = wire.attempt().enter(); // interceptors are the user's
    try {
      toClient(() ->
          client.produceRequest(
              (request, body, own) -> {
                goesOut(request, body);
                try {
                  channel.sendRequest(request, body, own);
                } catch (Throwable failure) {
                  ofChannel = failure;
                  throw failure;
                }
              },
              context));
    } finally {
      leave.run();
    }
  }

  private void goesOut(HttpRequest request, @Nullable EntityDetails body) throws IOException {
    if (Method.CONNECT.isSame(request.getMethod())) {
      tunnel = true;
      return;
    }
    if (beside) {
      wire.beside(request);
      return;
    }
    if (wire.isCancelled() || !wire.sends(request)) {
      throw new InterruptedIOException("the attempt is over");
    }
    wire.at(Place.EXCHANGE);
    sent = request;
    if (body != null) {
      output = new WatchedOutput(wire, body);
    }
  }

  @Override
  public int available() {
    return output == null || wire.isCurrent() ? client.available() : 0;
  }

  @Override
  public void produce(DataStreamChannel channel) throws IOException {
    WatchedOutput out = output;
    if (out == null) {
      client.produce(channel);
    } else {
      toClient(() -> wire.produce(() -> out.produce(client, channel)));
    }
  }

  @Override
  public void consumeInformation(HttpResponse response, HttpContext context)
      throws HttpException, IOException {
    client.consumeInformation(response, context);
  }

  @Override
  public void consumeResponse(
      HttpResponse response, @Nullable EntityDetails body, HttpContext context)
      throws HttpException, IOException {
    answered(response);
    over = body == null;
    Runnable leave = wire.attempt().enter();
    try {
      toClient(() -> client.consumeResponse(response, body, context));
    } finally {
      leave.run();
    }
  }

  private void answered(HttpResponse response) {
    answered = true;
    HttpRequest own = sent;
    if (own != null) {
      wire.answered(own, response);
    } else if (tunnel && !beside) {
      wire.tunnelled();
    }
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    client.updateCapacity(channel);
  }

  @Override
  public void consume(ByteBuffer data) throws IOException {
    toClient(() -> client.consume(data));
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    over = true;
    toClient(() -> client.streamEnd(trailers));
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very one
  public void failed(Exception cause) {
    over = true;
    broken = true;
    bodyEnded();
    boolean ofWire = cause != ofClient;
    reset = ofWire && Apache5Failures.isReset(cause);
    if (ofWire && !beside) {
      wire.breaks(answered ? null : sent, cause);
    }
    client.failed(cause);
  }

  @Override
  public void cancel() {
    if (sent == null && !tunnel && !beside && !wire.isCancelled()) {
      failed(new RequestNotExecutedException()); // its connection was closed before
    } else {
      client.cancel();
    }
  }

  @Override
  public void releaseResources() {
    bodyEnded();
    if (!over) { // the connection has ended, and does not say more
      failed(new ConnectionClosedException("Connection closed by peer"));
    }
    client.releaseResources();
  }

  private void bodyEnded() {
    WatchedOutput out = output;
    if (out != null) {
      out.ended();
    }
  }
}
