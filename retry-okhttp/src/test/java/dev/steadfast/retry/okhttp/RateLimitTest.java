package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.RateLimiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** Ten calls at once to a server that allows one per second; its second takes 100 ms here. */
class RateLimitTest {
  @Test
  void allCallsGetThroughOneAfterAnother() throws Exception {
    try (ScriptedServer server = ScriptedServer.start();
        Rig rig = new Rig()) {
      server.route(new RateLimiter(Duration.ofMillis(100)));
      Call.Factory calls =
          rig.factory(HttpRetry.followingRateLimits(Duration.ofMinutes(2)).build());
      BlockingQueue<Object> ends = new LinkedBlockingQueue<>();

      for (int i = 0; i < 10; i++) {
        calls
            .newCall(Calls.post(server))
            .enqueue(
                new Callback() {
                  @Override
                  public void onResponse(Call call, Response response) {
                    ends.add(response.code());
                    response.close();
                  }

                  @Override
                  public void onFailure(Call call, IOException failure) {
                    ends.add(failure);
                  }
                });
      }

      List<Object> results = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        results.add(ends.poll(60, TimeUnit.SECONDS));
      }
      assertEquals(Collections.nCopies(10, (Object) 200), results);
    }
  }
}
