package dev.steadfast.retry.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The server process, started again after each death. Safe for use by many threads. */
final class Server implements AutoCloseable {
  private static final String LISTENING = "listening ";

  private final Proxy proxy;
  private final Supervised process;

  Server(History history, String jdbcUrl, Proxy proxy) {
    this.proxy = proxy;
    this.process =
        new Supervised(
            "server",
            () -> {
              proxy.upstream(0);
              Process started =
                  Jvm.start(
                      Jvm.classPath(),
                      ServerMain.class,
                      history.file("server.err"),
                      history.file("").toString(),
                      jdbcUrl);
              proxy.upstream(port(started));
              return started;
            });
  }

  /** 0 if it died before it listened, as it does while its database is down. */
  private static int port(Process started) throws IOException {
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    return line == null ? 0 : Integer.parseInt(line.substring(LISTENING.length()));
  }

  List<String> surprises() {
    return process.surprises();
  }

  @Override
  public void close() {
    proxy.upstream(0);
    process.close();
  }
}
