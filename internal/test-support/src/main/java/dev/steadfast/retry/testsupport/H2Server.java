package dev.steadfast.retry.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A cleartext HTTP/2 server on loopback (prior knowledge) that knows frames and not one header of
 * the requests: enough to count whole requests, and to answer each with a scripted answer or fault.
 */
public final class H2Server implements AutoCloseable {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;

  /** What to do about one request. */
  public interface Action {
    void on(Peer peer, int stream) throws IOException;
  }

  private final List<ServerSocket> listeners = new ArrayList<>();
  private final List<Peer> peers = new CopyOnWriteArrayList<>();
  private final List<Throwable> problems = new CopyOnWriteArrayList<>();
  private final Queue<Action> script = new ConcurrentLinkedQueue<>();
  private final Set<String> refusing = ConcurrentHashMap.newKeySet();
  private final AtomicInteger deliveries = new AtomicInteger();

  public H2Server() {
    listen("127.0.0.1", 0);
  }

  /** Listens at another address of loopback, too. */
  public H2Server alsoAt(String address) {
    listen(address, port());
    return this;
  }

  /** Refuses every request that comes to this address from now on. */
  public void refuseAt(String address) {
    refusing.add(address);
  }

  private void listen(String address, int port) {
    try {
      ServerSocket listener = new ServerSocket(port, 50, InetAddress.getByName(address));
      listeners.add(listener);
      daemon(() -> accept(listener));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listeners.get(0).getLocalPort();
  }

  public String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  public void enqueue(Action... actions) {
    script.addAll(List.of(actions));
  }

  /** How many whole requests arrived. */
  public int deliveries() {
    return deliveries.get();
  }

  public int connections() {
    return peers.size();
  }

  /** The latest connection. */
  public Peer peer() {
    return peers.get(peers.size() - 1);
  }

  // ---- answers and faults

  public static Action answer(int status, String... headers) {
    return (peer, stream) -> peer.answer(stream, status, headers);
  }

  /** Begins a body and does not end it. */
  public static Action stalled(int status) {
    return (peer, stream) -> {
      peer.head(stream, status);
      peer.frame(DATA, 0, stream, "half".getBytes(StandardCharsets.UTF_8));
    };
  }

  public static Action reset(int code) {
    return (peer, stream) -> peer.frame(RST_STREAM, 0, stream, number(code));
  }

  /** Says that this stream was not processed, nor any later one. */
  public static Action goAway() {
    return (peer, stream) -> peer.goAway(stream - 2);
  }

  /** Says that this stream is the last one that it may process. */
  public static Action lastIsThis() {
    return (peer, stream) -> peer.goAway(stream);
  }

  /** One after the other. */
  public static Action both(Action first, Action second) {
    return (peer, stream) -> {
      first.on(peer, stream);
      second.on(peer, stream);
    };
  }

  /** Ends the whole connection with an error. */
  public static Action goAwayWith(int code) {
    return (peer, stream) -> peer.goAway(stream, code);
  }

  public static Action fin() {
    return (peer, stream) -> peer.socket.shutdownOutput();
  }

  public static Action tcpReset() {
    return (peer, stream) -> {
      peer.socket.setSoLinger(true, 0);
      peer.socket.close();
    };
  }

  private static byte[] number(int value) {
    return new byte[] {
      (byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value
    };
  }

  // ---- connections

  private void accept(ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Peer peer = new Peer(listener.accept());
        peers.add(peer);
        daemon(peer::converse);
      } catch (IOException e) {
        if (!listener.isClosed()) {
          problems.add(e);
        }
      }
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "h2-server");
    thread.setDaemon(true);
    thread.start();
  }

  /** One connection. */
  public final class Peer {
    private final Socket socket;
    private final OutputStream out;
    private final CountDownLatch pong = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    Peer(Socket socket) throws IOException {
      this.socket = socket;
      socket.setTcpNoDelay(true);
      this.out = socket.getOutputStream();
    }

    void converse() {
      try (socket) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readFully(new byte[24]); // the preface
        frame(SETTINGS, 0, 0, new byte[0]);
        while (true) {
          read(in);
        }
      } catch (EOFException | SocketException e) {
        // the client left, or a fault of the script's
      } catch (IOException | RuntimeException e) {
        problems.add(e);
      } finally {
        ended.countDown();
      }
    }

    private void read(DataInputStream in) throws IOException {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = new byte[length];
      in.readFully(payload);
      if (type == SETTINGS && (flags & ACK) == 0) {
        frame(SETTINGS, ACK, 0, new byte[0]);
      } else if (type == PING && (flags & ACK) != 0) {
        pong.countDown();
      } else if ((type == HEADERS || type == DATA) && (flags & END_STREAM) != 0) {
        deliveries.incrementAndGet();
        boolean refused = refusing.contains(socket.getLocalAddress().getHostAddress());
        Action scripted = refused ? H2Server.reset(7) : script.poll();
        (scripted == null ? H2Server.answer(200) : scripted).on(this, stream);
      }
    }

    private synchronized void frame(int type, int flags, int stream, byte[] payload)
        throws IOException {
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      frame.write(payload.length >> 16);
      frame.write(payload.length >> 8);
      frame.write(payload.length);
      frame.write(type);
      frame.write(flags);
      frame.write(number(stream));
      frame.write(payload);
      out.write(frame.toByteArray());
      out.flush();
    }

    private void answer(int stream, int status, String... headers) throws IOException {
      head(stream, status, headers);
      frame(DATA, END_STREAM, stream, "ok".getBytes(StandardCharsets.UTF_8));
    }

    private void head(int stream, int status, String... headers) throws IOException {
      ByteArrayOutputStream block = new ByteArrayOutputStream();
      literal(block, ":status", String.valueOf(status));
      for (int i = 0; i < headers.length; i += 2) {
        literal(block, headers[i].toLowerCase(Locale.ROOT), headers[i + 1]);
      }
      frame(HEADERS, END_HEADERS, stream, block.toByteArray());
    }

    // RFC 7541 section 6.2.2: a literal field with a literal name, neither Huffman-coded.
    private static void literal(ByteArrayOutputStream block, String name, String value) {
      block.write(0);
      for (String each : new String[] {name, value}) {
        byte[] bytes = each.getBytes(StandardCharsets.ISO_8859_1);
        block.write(bytes.length);
        block.writeBytes(bytes);
      }
    }

    public void goAway(int lastStream) throws IOException {
      goAway(lastStream, 0);
    }

    private void goAway(int lastStream, int code) throws IOException {
      ByteArrayOutputStream payload = new ByteArrayOutputStream();
      payload.writeBytes(number(Math.max(0, lastStream)));
      payload.writeBytes(number(code));
      frame(GOAWAY, 0, 0, payload.toByteArray());
    }

    /** Returns when the client has read all that was sent before. */
    public void awaitRead() throws IOException, InterruptedException {
      frame(PING, 0, 0, new byte[8]);
      if (!pong.await(10, TimeUnit.SECONDS)) {
        throw new AssertionError("no pong within 10 s");
      }
    }
  }

  /** Waits until the clients have closed all connections. */
  public void assertNoLeaks() throws InterruptedException {
    for (Peer peer : peers) {
      if (!peer.ended.await(20, TimeUnit.SECONDS)) {
        throw new AssertionError("a connection is still open");
      }
    }
  }

  @Override
  public void close() {
    try {
      for (ServerSocket listener : listeners) {
        listener.close();
      }
      for (Peer peer : peers) {
        peer.socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!problems.isEmpty()) {
      throw new AssertionError("problems: " + problems, problems.get(0));
    }
  }
}
