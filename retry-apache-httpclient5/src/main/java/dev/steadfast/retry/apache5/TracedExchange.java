package dev.steadfast.retry.apache5;

import dev.steadfast.retry.apache5.WireTrace.Place;
import java.io.IOException;
import java.io.InterruptedIOException;
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
  private final AsyncWire wire;
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

  TracedExchange(AsyncClientExchangeHandler client, AsyncWire wire, boolean beside) {
    this.client = client;
    this.wire = wire;
    this.beside = beside;
  }

  private WireTrace trace() {
    return wire.trace();
  }

  /** Whether the server has ended its stream alone: the connection has others. */
  boolean isReset() {
    return reset;
  }

  /** Whether request and answer went over the wire as a whole. */
  boolean isWhole() {
    WatchedOutput out = output;
    return over && !broken && (out == null || out.isWhole());
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // an equal one need not come from there
  public void produceRequest(RequestChannel channel, HttpContext context)
      throws HttpException, IOException {
    Runnable leave = trace().attempt().enter(); // interceptors are the user's
    try {
      client.produceRequest(
          (request, body, own) -> {
            goesOut(request, body);
            try {
              channel.sendRequest(request, body, own);
            } catch (HttpException | IOException | RuntimeException | Error failure) {
              ofChannel = failure;
              throw failure;
            }
          },
          context);
    } catch (HttpException | IOException | RuntimeException | Error thrown) {
      if (thrown != ofChannel) {
        ofClient = thrown;
      }
      throw thrown;
    } finally {
      leave.run();
    }
  }

  private interface Step {
    void run() throws HttpException, IOException;
  }

  private void handOver(Step toClient) throws HttpException, IOException {
    try {
      toClient.run();
    } catch (HttpException | IOException | RuntimeException | Error thrown) {
      ofClient = thrown;
      throw thrown;
    }
  }

  private void goesOut(HttpRequest request, @Nullable EntityDetails body) throws IOException {
    if (Method.CONNECT.isSame(request.getMethod())) {
      tunnel = true;
      return;
    }
    if (beside) {
      trace().beside(request);
      return;
    }
    boolean allowed = !wire.stop().isCancelled() && wire.reporting(() -> trace().sends(request));
    if (!allowed) {
      throw new InterruptedIOException("the attempt is over");
    }
    trace().at(Place.EXCHANGE);
    sent = request;
    if (body != null) {
      output = new WatchedOutput(wire, body);
    }
  }

  @Override
  public int available() {
    return output == null || wire.turn().isOf(trace()) ? client.available() : 0;
  }

  @Override
  public void produce(DataStreamChannel channel) throws IOException {
    WatchedOutput out = output;
    if (out == null) {
      client.produce(channel);
      return;
    }
    try {
      wire.turn().produce(trace(), () -> out.produce(client, channel));
    } catch (IOException | RuntimeException | Error thrown) {
      if (!out.failedOnWire()) {
        ofClient = thrown;
      }
      throw thrown;
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
    Runnable leave = trace().attempt().enter();
    try {
      handOver(() -> client.consumeResponse(response, body, context));
    } finally {
      leave.run();
    }
  }

  private void answered(HttpResponse response) {
    answered = true;
    if (beside) {
      return;
    }
    if (tunnel) {
      trace().tunnelled();
      return;
    }
    HttpRequest own = sent;
    wire.reporting(() -> {
      if (own != null && own.equals(trace().log.latest())) { // else a handler has sent another
        trace().answered(response);
        trace().at(Place.HANDLERS);
      }
      return true;
    });
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    client.updateCapacity(channel);
  }

  @Override
  public void consume(java.nio.ByteBuffer data) throws IOException {
    try {
      client.consume(data);
    } catch (IOException | RuntimeException | Error thrown) {
      ofClient = thrown;
      throw thrown;
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers)
      throws HttpException, IOException {
    over = true;
    handOver(() -> client.streamEnd(trailers));
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very one
  public void failed(Exception cause) {
    over = true;
    broken = true;
    bodyEnded();
    reset = cause != ofClient && Apache5Failures.isReset(cause);
    if (cause != ofClient && !beside) {
      wire.reporting(() -> {
        proves(cause);
        trace().leaves(cause);
        return true;
      });
    }
    client.failed(cause);
  }

  /** Whether the server says that it did not process the request of this exchange. */
  private void proves(Exception cause) {
    HttpRequest own = sent;
    boolean latest = own != null && !answered && own.equals(trace().log.latest());
    boolean refused =
        cause instanceof RequestNotExecutedException || Apache5Failures.isRefusedStream(cause);
    if (latest && refused) {
      trace().log.refused();
    }
  }

  @Override
  public void cancel() {
    if (sent == null && !tunnel && !beside && !wire.stop().isCancelled()) {
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
