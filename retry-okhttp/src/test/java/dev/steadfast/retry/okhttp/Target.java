package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.H2Server;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import okhttp3.Call;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

/** A scripted server of HTTP/1.1 or HTTP/2, and clients that find it. */
final class Target implements AutoCloseable {
  private final ScriptedServer h1;
  private final H2Server h2;
  private SecondAddress second;
  private int before;

  Target(boolean http2) {
    this.h1 = http2 ? null : ScriptedServer.start();
    this.h2 = http2 ? new H2Server() : null;
  }

  ScriptedServer h1() {
    return h1;
  }

  H2Server h2() {
    return h2;
  }

  private int port() {
    return h1 == null ? h2.port() : h1.port();
  }

  /** An address of the server; it resolves with {@link #client} only. */
  String url(String path) {
    return "http://service.test:" + port() + path;
  }

  Request post() {
    return new Request.Builder().url(url("/charge")).post(Rig.BODY).build();
  }

  Request get() {
    return new Request.Builder().url(url("/read")).build();
  }

  /** A client that knows one address. */
  OkHttpClient.Builder client() {
    return client("127.0.0.1");
  }

  /** A client that knows two addresses, at both of which the server listens. */
  OkHttpClient.Builder clientOfTwo() {
    if (h1 == null) {
      h2.alsoAt(SecondAddress.ADDRESS);
    } else {
      second = new SecondAddress(port());
    }
    return client("127.0.0.1", SecondAddress.ADDRESS);
  }

  /** A client that knows two addresses; the first refuses connections. */
  OkHttpClient.Builder clientOfDeadFirst() {
    return client(SecondAddress.ADDRESS, "127.0.0.1");
  }

  private OkHttpClient.Builder client(String... addresses) {
    OkHttpClient.Builder builder = Rig.builder().dns(dns(addresses));
    return h1 == null ? builder.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)) : builder;
  }

  private static Dns dns(String... addresses) {
    return host -> {
      InetAddress[] found = new InetAddress[addresses.length];
      for (int i = 0; i < found.length; i++) {
        found[i] = InetAddress.getByName(addresses[i]);
      }
      return List.of(found);
    };
  }

  /** Makes a pooled connection; its request does not count. */
  void warmUp(Call.Factory calls) throws IOException {
    try (Response response = calls.newCall(get()).execute()) {
      response.body().string();
    }
    forget();
  }

  void forget() {
    before = received();
  }

  void script(Fault fault) {
    if (h1 == null) {
      h2.enqueue(fault.h2Action());
    } else {
      h1.enqueue(fault.h1Reply());
    }
  }

  void script(int status, String... headers) {
    if (h1 == null) {
      h2.enqueue(H2Server.answer(status, headers));
      return;
    }
    Reply reply = Reply.status(status).body("no");
    for (int i = 0; i < headers.length; i += 2) {
      reply = reply.header(headers[i], headers[i + 1]);
    }
    h1.enqueue(reply);
  }

  private int received() {
    return h1 == null ? h2.deliveries() : h1.requests().size();
  }

  /** How many whole requests the server has read since the warm-up. */
  int deliveries() {
    return received() - before;
  }

  void assertNoLeaks() throws InterruptedException {
    if (h1 == null) {
      h2.assertNoLeaks();
    } else {
      h1.awaitNoOpenConnections(Duration.ofSeconds(5));
    }
  }

  @Override
  public void close() {
    if (second != null) {
      second.close();
    }
    if (h1 == null) {
      h2.close();
    } else {
      h1.close();
    }
  }
}
