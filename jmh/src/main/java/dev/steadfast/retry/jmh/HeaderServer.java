package dev.steadfast.retry.jmh;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives each request without body the same answer without body, over HTTP/1.1 or over HTTP/2
 * without TLS. A client may begin with HTTP/2, or ask for it by an upgrade. The server keeps the
 * answer as bytes and tells the CPU time of its threads, so that this can be taken off.
 */
final class HeaderServer implements AutoCloseable {
  // What the head of a request says.
  private static final int ENDED = 0;
  private static final int PLAIN = 1;
  private static final int UPGRADES = 2;

  private static final int FRAME_HEAD = 9;
  private static final int LARGEST = 16_384;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int CONTINUATION = 9;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length();
  private static final byte[] SWITCHING =
      "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final ServerSocket listener;
  private final byte[] http1;
  private final byte[] http2;
  private final AtomicInteger answers = new AtomicInteger();
  private final Collection<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

  HeaderServer(int status, List<Map.Entry<String, String>> lines) {
    this.http1 = head1(status, lines);
    this.http2 = head2(status, lines);
    try {
      this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    start(this::accept);
  }

  private static byte[] head1(int status, List<Map.Entry<String, String>> lines) {
    StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " x\r\ncontent-length: 0\r\n");
    lines.forEach(each -> text.append(each.getKey() + ":" + each.getValue() + "\r\n"));
    return text.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** All frames of an answer, for stream 0. */
  private static byte[] head2(int status, List<Map.Entry<String, String>> lines) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(8); // RFC 7541: not indexed, with the name of entry 8, :status
    string(block, Integer.toString(status));
    for (Map.Entry<String, String> each : lines) {
      block.write(0); // not indexed, with a name of its own
      string(block, each.getKey());
      string(block, each.getValue());
    }
    byte[] bytes = block.toByteArray();
    ByteBuffer frames =
        ByteBuffer.allocate(bytes.length + FRAME_HEAD * (bytes.length / LARGEST + 1));
    for (int at = 0; at < bytes.length; at += LARGEST) {
      int length = Math.min(LARGEST, bytes.length - at);
      int ends = at + length == bytes.length ? END_HEADERS : 0;
      frame(frames, length, at == 0 ? HEADERS : CONTINUATION, at == 0 ? ends | END_STREAM : ends);
      frames.put(bytes, at, length);
    }
    return Arrays.copyOf(frames.array(), frames.position());
  }

  private static void string(ByteArrayOutputStream block, String text) {
    block.write(text.length()); // below 127
    block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void frame(ByteBuffer to, int length, int type, int flags) {
    to.put((byte) (length >> 16)).putShort((short) length).put((byte) type).put((byte) flags);
    to.putInt(0);
  }

  private void start(Runnable task) {
    Thread thread = new Thread(task, "header-server");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/");
  }

  int answers() {
    return answers.get();
  }

  /** The CPU time of this server's threads. */
  long cpuNanos() {
    ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    return threads.stream().mapToLong(each -> bean.getThreadCpuTime(each.getId())).sum();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket socket = listener.accept();
        open.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // The listener was closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      in.mark(PREFACE);
      String start = new String(in.readNBytes(3), StandardCharsets.US_ASCII);
      in.reset();
      if (start.equals("PRI")) {
        http2(in, socket.getOutputStream(), false);
      } else {
        http1(in, socket.getOutputStream());
      }
    } catch (IOException broken) {
      // The client has gone, or the server was closed.
    }
  }

  private void http1(InputStream in, OutputStream out) throws IOException {
    int head = readHead(in);
    while (head != ENDED) {
      if (head == UPGRADES) {
        out.write(SWITCHING);
        http2(in, out, true);
        return;
      }
      answers.incrementAndGet();
      out.write(http1);
      head = readHead(in);
    }
  }

  private static int readHead(InputStream in) throws IOException {
    int last = 0;
    boolean upgrades = false;
    int b = in.read();
    while (b >= 0) {
      last = (last << 8) | b;
      if (last == 0x0D0A0D0A) {
        return upgrades ? UPGRADES : PLAIN;
      }
      upgrades |= last == 0x0D0A5570; // a line that starts with Up
      b = in.read();
    }
    return ENDED;
  }

  private void http2(InputStream in, OutputStream out, boolean upgraded) throws IOException {
    byte[] own = http2.clone();
    ByteBuffer settings = ByteBuffer.allocate(FRAME_HEAD);
    frame(settings, 0, SETTINGS, 0);
    out.write(settings.array());
    in.skipNBytes(PREFACE);
    if (upgraded) {
      answer(own, 1, out);
    }
    DataInputStream data = new DataInputStream(in);
    while (true) {
      int length = (data.readUnsignedByte() << 16) | data.readUnsignedShort();
      int type = data.readUnsignedByte();
      int flags = data.readUnsignedByte();
      int stream = data.readInt();
      byte[] payload = new byte[length];
      data.readFully(payload);
      if ((type == SETTINGS || type == PING) && (flags & ACK) == 0) {
        acknowledge(type, payload, out);
      } else if ((type == HEADERS || type == CONTINUATION) && (flags & END_HEADERS) != 0) {
        answer(own, stream, out);
      }
    }
  }

  private static void acknowledge(int type, byte[] payload, OutputStream out) throws IOException {
    byte[] echo = type == PING ? payload : new byte[0];
    ByteBuffer frame = ByteBuffer.allocate(FRAME_HEAD + echo.length);
    frame(frame, echo.length, type, ACK);
    out.write(frame.put(echo).array());
  }

  private void answer(byte[] frames, int stream, OutputStream out) throws IOException {
    ByteBuffer each = ByteBuffer.wrap(frames);
    while (each.hasRemaining()) {
      int length = (each.get() & 0xFF) << 16 | (each.getShort() & 0xFFFF);
      each.getShort(); // type and flags
      each.putInt(stream);
      each.position(each.position() + length);
    }
    answers.incrementAndGet();
    out.write(frames);
  }

  /** Closes the listener and all connections; their threads end by themselves. */
  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
