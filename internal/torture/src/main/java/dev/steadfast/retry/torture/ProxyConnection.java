package dev.steadfast.retry.torture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A client's connection, with a connection of its own to the server. Confined to one thread. */
final class ProxyConnection {
  private static final long STALL_MILLIS = Payments.ATTEMPT_TIMEOUT.toMillis() + 400;
  private static final int MOST_SILENT_MILLIS = 5_000;

  private final Proxy proxy;
  private final int client;
  private final Socket socket;
  private Socket server;
  private InputStream fromServer;

  ProxyConnection(Proxy proxy, int client, Socket socket) {
    this.proxy = proxy;
    this.client = client;
    this.socket = socket;
  }

  /** Forwards requests and answers until one side or a fault ends the connection. */
  void run() {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      Optional<HttpMessage> request = HttpMessage.read(in);
      while (request.isPresent() && exchange(request.get())) {
        request = HttpMessage.read(in);
      }
    } catch (IOException gone) {
      // closing tells the other side
    } finally {
      closeServer();
    }
  }

  private void closeServer() {
    try {
      if (server != null) {
        server.close();
      }
    } catch (IOException gone) {
      // it is closed anyway
    }
  }

  /** Returns false at the end of the connection. */
  private boolean exchange(HttpMessage request) throws IOException {
    proxy.see(request);
    if (proxy.fault(request, Fault.KILL_ON_THE_WIRE) != null) {
      killOnTheWire(request);
      return false;
    }
    int storm = request.pays() ? proxy.storm() : 0;
    if (storm != 0) {
      return inStorm(request, storm);
    }
    if (!sent(request)) {
      return false;
    }
    return answered(request, answer());
  }

  /** Every second request reaches the server. The client cannot tell which. */
  private boolean inStorm(HttpMessage request, int status) throws IOException {
    if (request.intent().hashCode() % 2 == 0) {
      send(proxy.forServer(request).bytes());
      answer();
    }
    toClient(HttpMessage.answer(status).bytes());
    return true;
  }

  /** Forwards a request, with its fault. Returns false if that ends the connection. */
  private boolean sent(HttpMessage request) throws IOException {
    HttpMessage forServer = proxy.forServer(request);
    Fault fault =
        proxy.fault(request, Fault.REQUEST_LOST, Fault.RESET_IN_REQUEST, Fault.STALLED_REQUEST);
    if (fault == Fault.REQUEST_LOST) {
      silence();
      return false;
    }
    if (fault == Fault.RESET_IN_REQUEST) {
      send(forServer.firstPart());
      ProxyPort.reset(server);
      ProxyPort.reset(socket);
      return false;
    }
    if (fault == Fault.STALLED_REQUEST) {
      pause(STALL_MILLIS); // the client has given it up, but the request still has its effect
    }
    send(forServer.bytes());
    return true;
  }

  /** Forwards an answer, with its fault. Returns false if that ends the connection. */
  private boolean answered(HttpMessage request, HttpMessage answer) throws IOException {
    Fault fault =
        proxy.fault(request, Fault.ANSWER_LOST, Fault.RESET_IN_ANSWER, Fault.STALLED_ANSWER);
    if (fault == Fault.ANSWER_LOST) {
      return false;
    }
    if (fault == Fault.RESET_IN_ANSWER) {
      toClient(answer.firstPart());
      ProxyPort.reset(socket);
      return false;
    }
    if (fault == Fault.STALLED_ANSWER) {
      pause(STALL_MILLIS);
    }
    if (!proxy.clients().frozen(client) && proxy.fault(request, Fault.FREEZE_ON_THE_WIRE) != null) {
      proxy.clients().freeze(client); // the client finds the answer when it wakes up
    }
    toClient(answer.bytes());
    return true;
  }

  /** Forwards a request, and kills the client before it gets the answer. */
  private void killOnTheWire(HttpMessage request) throws IOException {
    try {
      send(proxy.forServer(request).bytes());
      answer();
    } finally {
      proxy.clients().kill(client); // also if the server is down
    }
  }

  private void send(byte[] bytes) throws IOException {
    if (server == null) {
      server = proxy.connect();
      fromServer = new BufferedInputStream(server.getInputStream());
    }
    server.getOutputStream().write(bytes);
  }

  private HttpMessage answer() throws IOException {
    return HttpMessage.read(fromServer)
        .orElseThrow(() -> new IOException("the server has gone away"));
  }

  private void toClient(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Sends nothing until the client closes the connection. */
  private void silence() throws IOException {
    socket.setSoTimeout(MOST_SILENT_MILLIS);
    while (socket.getInputStream().read() >= 0) {
      // ignore what the client still sends
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the run has ended", e);
    }
  }
}
