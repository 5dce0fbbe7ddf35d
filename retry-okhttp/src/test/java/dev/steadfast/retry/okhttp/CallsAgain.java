package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;

/** Calls with an interceptor before ours, and what listeners hear of them. */
abstract class CallsAgain {
  final Rig rig = new Rig();
  final ScriptedServer server = ScriptedServer.start();
  final List<String> told = new CopyOnWriteArrayList<>();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  /**
   * Makes calls.
   *
   * @param before comes before the retry interceptor, and may proceed more than once
   */
  Call.Factory calls(Interceptor before, HttpRetry retry) {
    return rig.client(RetryInterceptor.addTo(Rig.builder().addInterceptor(before), retry));
  }

  HttpRetry.Builder told() {
    return rig.retry().listener(new Told());
  }

  HttpRetry keyed() {
    return told().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
  }

  private final class Told implements RetryListener {
    @Override
    public void operationStarted(OperationInfo operation) {
      String label = operation.label();
      told.add("started " + label.substring(0, label.indexOf(' ')));
    }

    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      told.add("attempt " + attempt);
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      told.add("ended after " + report.attempts());
    }
  }

  /** Sends an old token, and a new one where that is refused. */
  static Response refreshing(Interceptor.Chain chain) throws IOException {
    Request old = chain.request().newBuilder().header("Authorization", "old").build();
    Response response = chain.proceed(old);
    if (response.code() != 401) {
      return response;
    }
    response.close();
    return chain.proceed(old.newBuilder().header("Authorization", "new").build());
  }

  static Response twice(Interceptor.Chain chain) throws IOException {
    chain.proceed(chain.request()).close();
    return chain.proceed(chain.request());
  }

  static boolean isNew(Received request) {
    return request.header("Authorization").orElse("").equals("new");
  }

  Request other(Request request, String path) {
    return request.newBuilder().url(server.uri(path).toString()).build();
  }

  List<String> keys() {
    return server.requests().stream()
        .map(each -> each.header("Idempotency-Key").orElse("none"))
        .toList();
  }
}
