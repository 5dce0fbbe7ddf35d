package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client's own code sees the request body that the caller has made, whatever is watched. */
class OwnBodyTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();
  private final List<RequestBody> seen = new CopyOnWriteArrayList<>();

  private static List<RequestBody> bodies() {
    MediaType text = MediaType.get("text/plain");
    return Stream.of(
            RequestBody.create("x".repeat(100_000), text),
            new MultipartBody.Builder()
                .addFormDataPart("a", "b", RequestBody.create("x".repeat(100_000), text))
                .build(),
            new MultipartBody.Builder().addPart(Bodies.streaming(3)).build(),
            Bodies.streaming(10),
            Bodies.oneShot(new AtomicInteger()))
        .toList();
  }

  private Response see(Interceptor.Chain chain) throws IOException {
    seen.add(chain.request().body());
    Response response = chain.proceed(chain.request());
    seen.add(response.request().body());
    if (response.networkResponse() != null) {
      seen.add(response.networkResponse().request().body());
    }
    return response;
  }

  @ParameterizedTest
  @EnumSource
  void isTheCallers(Way way) throws Exception {
    Authenticator login =
        (route, response) -> {
          seen.add(response.request().body());
          return response.request().newBuilder().header("Authorization", "yes").build();
        };
    for (RequestBody body : bodies()) {
      OkHttpClient.Builder client = Rig.builder().authenticator(login);
      client.addInterceptor(this::see);
      client.addNetworkInterceptor(this::see);
      Call.Factory calls = way.calls(rig, client, rig.retry().build());
      if (way == Way.INTERCEPTOR || way == Way.INTERCEPTOR_ENQUEUE) {
        // A network interceptor that is added here is behind the probe, and sees what goes out.
        calls = rig.plain(((OkHttpClient) calls).newBuilder().addInterceptor(this::see));
      }
      if (!body.isOneShot()) {
        server.enqueue(Reply.status(401));
      }
      server.enqueue(Reply.status(200).body("ok"));
      seen.clear();

      Call call = calls.newCall(Calls.get(server).newBuilder().put(body).build());
      try (Response response =
          way == Way.EXECUTE || way == Way.INTERCEPTOR ? call.execute() : Entry.enqueued(call)) {
        seen.add(response.request().body());
        assertEquals(200, response.code());
      }

      seen.removeIf(Objects::isNull);
      seen.forEach(each -> assertSame(body, each));
    }
  }
}
