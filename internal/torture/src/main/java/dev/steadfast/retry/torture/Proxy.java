package dev.steadfast.retry.torture;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Forwards requests and answers between clients and server, and causes the faults of the network.
 * Each client has its own port, so that one client can be cut off alone. Safe for use by many
 * threads.
 */
final class Proxy implements AutoCloseable {
  /** What the proxy does to client processes. */
  interface Clients {
    /** Kills a client; returns when it is dead. */
    void kill(int client);

    /** Freezes a client until its leases have ended. Returns at once. */
    void freeze(int client);

    /** Whether it is frozen now. */
    boolean frozen(int client);
  }

  private final Map<String, Op> operations;
  private final Fired fired;
  private final Break broken;
  private final Clients clients;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ProxyPort> ports = new ArrayList<>();

  private final Map<String, String> keys = new ConcurrentHashMap<>(); // by intent
  private final Queue<String> wire = new ConcurrentLinkedQueue<>();

  private volatile int upstream; // 0: the server is down
  private volatile int storm; // the status; 0: none

  Proxy(History history, Clients clients) throws IOException {
    this.operations = history.operationsByIntent();
    this.fired = history.fired();
    this.broken = history.settings().broken();
    this.clients = clients;
    for (int client = 0; client < Workload.CLIENTS; client++) {
      ports.add(new ProxyPort(this, client, threads));
    }
  }

  int port(int client) {
    return ports.get(client).port();
  }

  /** Where the server listens; 0 while it is down. */
  void upstream(int port) {
    upstream = port;
  }

  /** Answers all payments with an error status; 0 ends that. */
  void storm(int status) {
    storm = status;
  }

  /** Cuts a client off, or lets it in again. */
  void partition(int client, boolean cut) throws IOException {
    if (cut) {
      ports.get(client).close();
    } else {
      ports.get(client).open();
    }
  }

  // For the connections.

  Socket connect() throws IOException {
    int port = upstream;
    if (port == 0) {
      throw new IOException("the server is down");
    }
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    return socket;
  }

  int storm() {
    return storm;
  }

  Clients clients() {
    return clients;
  }

  /** The fault that meets a request; null for none. */
  Fault fault(HttpMessage request, Fault... those) {
    Op operation = operation(request);
    for (Fault fault : those) {
      if (fired.first(fault, operation)) {
        return fault;
      }
    }
    return null;
  }

  /** Notes what is wrong with a request: another account, or another key than before. */
  void see(HttpMessage request) {
    String intent = request.intent().orElse(null);
    if (intent == null) {
      return;
    }
    Optional<String> account = request.header(Payments.ACCOUNT);
    if (!account.equals(request.account())) {
      wire.add(intent + "\twas sent with account " + account + " in its header");
    }
    String key = request.header(Payments.KEY).orElse("none");
    String before = keys.putIfAbsent(intent, key);
    if (before != null && !before.equals(key)) {
      wire.add(intent + "\twas sent with key " + before + " and with key " + key);
    }
  }

  /** Writes what was wrong with requests into the history. */
  void wire(History history) throws IOException {
    history.write("wire.tsv", List.copyOf(wire));
  }

  private Op operation(HttpMessage request) {
    return request.intent().map(operations::get).orElse(null);
  }

  /**
   * The request as the server gets it, with credentials, which no journal keeps. Keys are removed
   * or replaced here, where the library cannot see it: it refuses to repeat an operation whose key
   * it sees change.
   */
  HttpMessage forServer(HttpMessage request) {
    HttpMessage known =
        request
            .header(Payments.PRINCIPAL)
            .map(
                name -> request.without(Payments.PRINCIPAL).with("Authorization", "Bearer " + name))
            .orElse(request);
    if (!request.pays()) {
      return known;
    }
    if (broken == Break.NO_KEYS) {
      return known.without(Payments.KEY);
    }
    boolean replaces = broken == Break.KEY_PER_ATTEMPT && request.header(Payments.KEY).isPresent();
    return replaces ? known.with(Payments.KEY, UUID.randomUUID().toString()) : known;
  }

  @Override
  public void close() throws IOException {
    for (ProxyPort port : ports) {
      port.close();
    }
    threads.shutdownNow();
  }
}
