package dev.steadfast.retry.jmh;

import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Enqueued OkHttp calls that wait for their retry; an interceptor answers in place of a server, so
 * that no connection is counted. Operations that share an attempt share their request, which is the
 * caller's and not the operation's.
 */
final class OkHttpWaiters implements Waiters {
  private static final Callback IGNORED =
      new Callback() {
        @Override
        public void onResponse(Call call, Response response) {
          response.close();
        }

        @Override
        public void onFailure(Call call, IOException failure) {}
      };

  private final OkHttpClient client =
      Configurations.okHttp().newBuilder().addInterceptor(OkHttpWaiters::answer).build();
  private final Call.Factory factory;
  private Request last = request(() -> true);

  OkHttpWaiters(Duration delay) {
    this.factory = RetryingCallFactory.wrap(client, Configurations.waiting(delay));
  }

  private static Request request(Attempt attempt) {
    return new Request.Builder().url("http://127.0.0.1/").tag(Attempt.class, attempt).build();
  }

  private static Response answer(Interceptor.Chain chain) {
    Request request = chain.request();
    Attempt attempt = request.tag(Attempt.class);
    Response.Builder response =
        new Response.Builder()
            .request(request)
            .protocol(Protocol.HTTP_1_1)
            .code(attempt.run() ? 200 : 503)
            .message("made up");
    // As from the network: an answer from a cache is never retried.
    Response head = response.build();
    return response.networkResponse(head).body(ResponseBody.create("", null)).build();
  }

  @Override
  public Object start(Attempt attempt) {
    if (!attempt.equals(last.tag(Attempt.class))) {
      last = request(attempt);
    }
    Call call = factory.newCall(last);
    call.enqueue(IGNORED);
    return call;
  }

  @Override
  public void cancel(Object operation) {
    ((Call) operation).cancel();
  }

  @Override
  public void close() {
    Configurations.close(client);
  }
}
