package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.io.IOException;
import java.util.List;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interceptor beneath ours that retries by itself multiplies the requests, and is warned of. */
class ResendBeneathTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  private static Interceptor again(int status) {
    return chain -> {
      Response first;
      try {
        first = chain.proceed(chain.request());
      } catch (IOException failed) {
        return chain.proceed(chain.request());
      }
      if (first.code() != status) {
        return first;
      }
      first.close();
      return chain.proceed(chain.request());
    };
  }

  private List<String> warnings(Entry entry, Interceptor beneath, Reply reply) {
    HttpRetry retry = rig.retry().build();
    OkHttpClient.Builder builder = Rig.builder();
    Call.Factory calls =
        entry == Entry.INTERCEPTOR
            ? rig.client(RetryInterceptor.addTo(builder, retry).addInterceptor(beneath))
            : rig.factory(rig.client(builder.addInterceptor(beneath)), retry);
    return CapturedLog.warningsOf(() -> {
      for (int i = 0; i < 2; i++) {
        server.enqueue(reply);
        try (Response response =
            entry == Entry.ENQUEUE
                ? Entry.enqueued(calls.newCall(Calls.get(server)))
                : calls.newCall(Calls.get(server)).execute()) {
          assertEquals(200, response.code());
        } catch (IOException failed) {
          throw new AssertionError(failed);
        }
      }
    });
  }

  @ParameterizedTest
  @EnumSource
  void aSecondRequestAfterAnErrorStatusIsWarnedOfOnce(Entry entry) {
    List<String> warnings = warnings(entry, again(503), Reply.status(503));
    assertEquals(1, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).contains("an interceptor of the client"), warnings.toString());
  }

  @ParameterizedTest
  @EnumSource
  void aSecondRequestAfterALostAnswerIsWarnedOfOnce(Entry entry) {
    List<String> warnings = warnings(entry, again(503), Reply.closeAfterRequest());
    assertEquals(1, warnings.size(), warnings.toString());
  }

  @ParameterizedTest
  @EnumSource
  void aFreshTokenAfterARefusalIsNoRetry(Entry entry) {
    assertEquals(List.of(), warnings(entry, again(401), Reply.status(401)));
  }
}
