package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.List;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Functions that make a call factory and lose what keeps a request from being sent twice. */
class RebuiltClientTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private OkHttpClient withoutNetworkHalf(OkHttpClient client) {
    OkHttpClient.Builder bare = Rig.builder();
    client.interceptors().forEach(bare::addInterceptor);
    return rig.client(bare);
  }

  private void assertRefused(Function<OkHttpClient, Call.Factory> function, String word) {
    HttpRetry retry = rig.retry().build();
    OkHttpClient plain = rig.client(Rig.builder());
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> RetryingCallFactory.wrap(plain, function, retry));
    assertTrue(refused.getMessage().contains(word), refused.getMessage());
  }

  @Test
  void aFactoryWithinAFactory() {
    HttpRetry retry = rig.retry().build();
    assertRefused(client -> RetryingCallFactory.wrap(client, retry), "RetryingCallFactory");
    assertRefused(
        client -> {
          Call.Factory inner = RetryingCallFactory.wrap(client.newBuilder().build(), retry);
          return request -> inner.newCall(request);
        },
        "RetryingCallFactory");
    assertRefused(
        client -> RetryInterceptor.addTo(client.newBuilder(), retry).build(),
        "RetryingCallFactory");
  }

  @Test
  void aClientWithoutTheNetworkHalf() {
    assertRefused(this::withoutNetworkHalf, "newBuilder()");
    assertRefused(client -> rig.client(Rig.builder()), "newBuilder()");
    assertRefused(
        client -> {
          OkHttpClient.Builder lossy = client.newBuilder();
          lossy.networkInterceptors().clear();
          return rig.client(lossy);
        },
        "newBuilder()");
  }

  @Test
  void aClientThatIsDerivedIsWelcome() {
    RetryingCallFactory calls =
        rig.factory(
            rig.client(Rig.builder()),
            client -> rig.client(client.newBuilder().addInterceptor(c -> c.proceed(c.request()))),
            rig.retry().build());
    server.enqueue(Reply.status(503));
    assertEquals(200, Entry.EXECUTE.make(calls.newCall(Calls.get(server))).status());
  }

  /** Where the client cannot be looked at, a failure proves nothing until an answer has come. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aLostPostIsNotSentAgain(Entry entry) {
    RetryingCallFactory calls =
        rig.factory(
            rig.client(Rig.builder()),
            client -> {
              OkHttpClient bare = withoutNetworkHalf(client);
              return request -> bare.newCall(request);
            },
            rig.retry().build());
    server.defaultReply(Reply.closeAfterRequest());

    Entry.Outcome got = entry.make(calls.newCall(Calls.post(server)));

    assertEquals(1, server.requests().size(), got.toString());
    assertTrue(got.report().serverMayHaveActed());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void aRefusedConnectionIsProof(Entry entry) {
    RetryingCallFactory calls =
        rig.factory(
            rig.client(Rig.builder()),
            client -> request -> client.newCall(request),
            rig.retry().build());
    try (RefusedPort nobody = RefusedPort.open()) {
      Request post = Calls.post(server).newBuilder().url(nobody.uri("/").toString()).build();
      Entry.Outcome got = entry.make(calls.newCall(post));
      assertEquals(3, got.report().attempts(), got.toString());
    }
    assertEquals(List.of(), server.requests());
  }
}
