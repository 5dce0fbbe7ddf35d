package dev.steadfast.retry.examples.servers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/**
 * A real Redis as a process of its own, on a free port of loopback. It writes nothing to disk, and
 * so forgets all when it ends.
 */
final class RedisServer implements AutoCloseable {
  private static final String PROGRAM = "redis-server";
  private static final boolean INSTALLED = look();

  private final int port = freePort();
  private Process process;

  RedisServer() throws IOException {
    start();
    Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
  }

  /** Whether there is a Redis on this machine. */
  static boolean installed() {
    return INSTALLED;
  }

  /** If there is none, one line says what that leaves out. */
  private static boolean look() {
    boolean found =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
            .anyMatch(directory -> new File(directory, PROGRAM).canExecute());
    if (!found) {
      System.out.println("No " + PROGRAM + " on the PATH: the tests of the Redis lock are skipped");
    }
    return found;
  }

  int port() {
    return port;
  }

  /** Starts it again, empty, on the same port; returns when it takes connections. */
  void start() throws IOException {
    List<String> command =
        List.of(
            PROGRAM,
            "--port",
            "" + port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no");
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    BufferedReader out = process.inputReader();
    StringBuilder printed = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.contains("Ready to accept connections")) {
        return;
      }
      printed.append(line).append('\n');
    }
    throw new IOException(PROGRAM + " ended: " + printed);
  }

  /** Ends it as by kill -9. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  Jedis connect() {
    return new Jedis("127.0.0.1", port, 30_000);
  }

  /** It loses its data, as it can by a restart or by failing over to a replica. */
  void flush() {
    try (Jedis redis = connect()) {
      redis.flushAll();
    }
  }

  /** The times of all keys pass. */
  void expireAll() {
    try (Jedis redis = connect()) {
      redis.keys("*").forEach(key -> redis.pexpire(key, 0));
    }
  }

  private static int freePort() {
    // Below the ports that systems give to outgoing connections, as it is started again.
    int[] candidates = ThreadLocalRandom.current().ints(100, 15_000, 30_000).toArray();
    return Arrays.stream(candidates).filter(RedisServer::free).findFirst().orElseThrow();
  }

  private static boolean free(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (BindException taken) {
      return false;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
