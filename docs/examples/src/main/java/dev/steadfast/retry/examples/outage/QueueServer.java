package dev.steadfast.retry.examples.outage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Locale;
import java.util.PriorityQueue;

/**
 * An HTTP server with one thread, for any load. Its {@link FifoQueue} says when it answers. A
 * client that gives up closes its connection. The connection is released at once, and the work
 * stays in the queue. It takes GET requests, one at a time per connection.
 */
final class QueueServer implements AutoCloseable {
  private static final int BACKLOG = 1024;
  private static final int LONGEST_HEAD = 4096;
  private static final String HEAD_ENDS = "\r\n\r\n";
  private static final String RETRY_HEADER = Policy.RETRY_HEADER.toLowerCase(Locale.ROOT) + ":";
  private static final String OK = "200 OK";
  private static final String UNAVAILABLE = "503 Service Unavailable";

  private record Answer(long due, String status, Connection client) {}

  /** Holds nothing once it is closed: a queue may hold many thousands of the dead. */
  private static final class Connection {
    private SocketChannel channel;
    private String head = "";

    Connection(SocketChannel channel) {
      this.channel = channel;
    }

    void close() {
      if (channel != null) {
        closeQuietly(channel);
        channel = null;
      }
    }
  }

  private final FifoQueue queue;
  private final Stall refusing;
  private final Tally tally;
  private final long origin;
  private final Selector selector = Selector.open();
  private final ServerSocketChannel acceptor = ServerSocketChannel.open();
  private final PriorityQueue<Answer> answers =
      new PriorityQueue<>(Comparator.comparingLong(Answer::due));
  private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST_HEAD);
  private volatile boolean open = true;

  /**
   * Opens a port and serves.
   *
   * @param world what it does, and when
   * @param tally counts the attempts
   * @param origin the {@code nanoTime} of the first second
   */
  QueueServer(World world, Tally tally, long origin) throws IOException {
    this.queue = world.queue();
    this.refusing = world.refusing();
    this.tally = tally;
    this.origin = origin;
    acceptor.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    acceptor.configureBlocking(false);
    acceptor.register(selector, SelectionKey.OP_ACCEPT);
    Thread thread = new Thread(this::serve, "queue-server");
    thread.setDaemon(true);
    thread.start();
  }

  URI address() throws IOException {
    InetSocketAddress address = (InetSocketAddress) acceptor.getLocalAddress();
    return URI.create("http://127.0.0.1:" + address.getPort() + "/");
  }

  private long now() {
    return System.nanoTime() - origin;
  }

  private void serve() {
    try (selector;
        acceptor) {
      while (open) {
        selector.select(this::ready, untilNextAnswer());
        while (!answers.isEmpty() && answers.peek().due() <= now()) {
          answer(answers.remove());
        }
      }
      selector.keys().forEach(key -> closeQuietly(key.channel()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whole milliseconds, at least one: zero would mean for ever. */
  private long untilNextAnswer() {
    return answers.isEmpty() ? 0 : Math.max(1, (answers.peek().due() - now()) / 1_000_000);
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        accept();
      } else {
        read((Connection) key.attachment());
      }
    } catch (IOException gone) {
      if (key.attachment() instanceof Connection client) {
        client.close();
      }
    }
  }

  private void accept() throws IOException {
    for (SocketChannel client = acceptor.accept(); client != null; client = acceptor.accept()) {
      client.configureBlocking(false);
      client.setOption(StandardSocketOptions.TCP_NODELAY, true);
      client.register(selector, SelectionKey.OP_READ, new Connection(client));
    }
  }

  private void read(Connection client) throws IOException {
    buffer.clear();
    if (client.channel.read(buffer) < 0 || client.head.length() > LONGEST_HEAD) {
      client.close();
      return;
    }
    client.head += new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1);
    if (client.head.endsWith(HEAD_ENDS)) {
      boolean retry = client.head.toLowerCase(Locale.ROOT).contains(RETRY_HEADER);
      client.head = "";
      take(client, retry);
    }
  }

  private void take(Connection client, boolean retry) {
    long arrival = now();
    tally.attempted(arrival, retry);
    answers.add(
        refusing.covers(arrival)
            ? new Answer(arrival, UNAVAILABLE, client)
            : new Answer(queue.departure(arrival), OK, client));
  }

  private static byte[] head(String status) {
    String head = "HTTP/1.1 " + status + "\r\nContent-Length: 0" + HEAD_ENDS;
    return head.getBytes(StandardCharsets.US_ASCII);
  }

  private static void answer(Answer answer) {
    Connection client = answer.client();
    if (client.channel == null) {
      return; // the client has gone
    }
    try {
      client.channel.write(ByteBuffer.wrap(head(answer.status()))); // fits into any socket buffer
    } catch (IOException gone) {
      client.close();
    }
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception ignored) {
      // it is of no use any more
    }
  }

  @Override
  public void close() {
    open = false;
    selector.wakeup();
  }
}
