package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A POST without a key through a proxy that does not pass it on: nothing has been sent. */
class ProxyDownTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer proxy = rig.server();

  private static Proxy at(int port) {
    InetAddress here = InetAddress.getLoopbackAddress();
    return new Proxy(Proxy.Type.HTTP, new InetSocketAddress(here, port));
  }

  private static Request post(String url) {
    return new Request.Builder().url(url).post(Rig.BODY).build();
  }

  private void assertRetried(Way way, OkHttpClient.Builder client, String url) {
    Call.Factory calls = way.calls(rig, client, rig.retry().build());

    Entry.Outcome got = way.make(calls.newCall(post(url)));

    assertEquals(3, got.report().attempts(), got.toString());
    assertFalse(got.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @EnumSource
  void thatIsDown(Way way) {
    try (RefusedPort nobody = RefusedPort.open()) {
      int port = nobody.uri("/").getPort();
      assertRetried(way, Rig.builder().proxy(at(port)), "http://service.test/charge");
      assertRetried(way, Rig.builder().proxy(at(port)), "https://service.test/charge");
    }
  }

  @ParameterizedTest
  @EnumSource
  void thatASelectorNames(Way way) {
    try (RefusedPort nobody = RefusedPort.open()) {
      int port = nobody.uri("/").getPort();
      ProxySelector selector =
          new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
              return List.of(at(port));
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
          };
      assertRetried(way, Rig.builder().proxySelector(selector), "http://service.test/charge");
    }
  }

  @ParameterizedTest
  @EnumSource
  void thatRefusesTheTunnel(Way way) {
    proxy.defaultReply(Reply.status(502));
    assertRetried(way, Rig.builder().proxy(at(proxy.port())), "https://service.test/charge");
    assertEquals(3, proxy.requests().size());
    proxy.requests().forEach(each -> assertEquals("CONNECT", each.method()));
  }
}
