package dev.steadfast.retry.examples.outage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A server with ten workers, an unbounded queue and service times of 100 ms on average, so 100
 * requests a second. It does not know that a client has given up: what waits in the queue is worked
 * off all the same, which is how a server gets stuck in a storm.
 */
final class QueueServer implements AutoCloseable {
  private static final int WORKERS = 10;
  private static final double MEAN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final byte[] OK =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

  private final List<Thread> workers = new ArrayList<>();
  private final BlockingQueue<SocketChannel> queue = new LinkedBlockingQueue<>();
  private final Selector selector;
  private final ServerSocketChannel listener;
  private volatile boolean stalled;
  private volatile boolean closed;

  QueueServer(long seed) throws IOException {
    selector = Selector.open();
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    daemon("server", this::serve).start();
    for (int worker = 0; worker < WORKERS; worker++) {
      Random random = new Random(seed * WORKERS + worker);
      workers.add(daemon("worker", () -> work(random)));
    }
    workers.forEach(Thread::start);
  }

  String url() {
    return "http://127.0.0.1:" + listener.socket().getLocalPort() + "/";
  }

  /** Freezes all workers, or lets them go on. */
  void stall(boolean stall) {
    stalled = stall;
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private void serve() {
    while (!closed) {
      try {
        selector.select(this::ready);
      } catch (IOException e) {
        return;
      }
    }
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        accept();
      } else {
        read(key);
      }
    } catch (IOException broken) {
      key.cancel();
    }
  }

  private void accept() throws IOException {
    for (SocketChannel next = listener.accept(); next != null; next = listener.accept()) {
      next.configureBlocking(false);
      next.register(selector, SelectionKey.OP_READ, new StringBuilder());
    }
  }

  /** A request ends with an empty line: the clients send bare GETs. */
  private void read(SelectionKey key) throws IOException {
    SocketChannel channel = (SocketChannel) key.channel();
    ByteBuffer bytes = ByteBuffer.allocate(2048);
    int count = channel.read(bytes);
    if (count < 0) {
      channel.close(); // the client gave up; its request stays in the queue
      return;
    }
    StringBuilder head = (StringBuilder) key.attachment();
    head.append(new String(bytes.array(), 0, count, StandardCharsets.US_ASCII));
    if (head.indexOf("\r\n\r\n") >= 0) {
      head.setLength(0);
      queue.add(channel);
    }
  }

  private void work(Random random) {
    try {
      while (!closed) {
        SocketChannel client = queue.take();
        while (stalled) {
          pause(TimeUnit.MILLISECONDS.toNanos(5));
        }
        pause((long) (-Math.log(1 - random.nextDouble()) * MEAN_NANOS));
        answer(client);
      }
    } catch (InterruptedException e) {
      // the run is over
    }
  }

  private static void answer(SocketChannel client) {
    try {
      client.write(ByteBuffer.wrap(OK));
    } catch (IOException gone) {
      // expired work, done for nobody
    }
  }

  private static void pause(long nanos) {
    long until = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    workers.forEach(Thread::interrupt);
    listener.close();
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
