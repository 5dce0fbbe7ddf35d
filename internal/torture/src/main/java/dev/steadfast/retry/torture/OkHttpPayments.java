package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Pays over OkHttp. */
final class OkHttpPayments implements PaymentClient {
  private static final MediaType FORM = MediaType.get("application/x-www-form-urlencoded");
  private static final int MOST_AT_ONCE = 64;

  private final String uri;
  private final Map<OperationKind, RetryingCallFactory> factories =
      new EnumMap<>(OperationKind.class);

  OkHttpPayments(String uri, Payments.Parts parts) {
    this.uri = uri;
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequestsPerHost(MOST_AT_ONCE);
    OkHttpClient plain =
        new OkHttpClient.Builder()
            .protocols(List.of(Protocol.HTTP_1_1))
            .dispatcher(dispatcher)
            .build();
    for (OperationKind kind : OperationKind.values()) {
      factories.put(kind, RetryingCallFactory.wrap(plain, Payments.retry(kind, parts)));
    }
  }

  @Override
  public Told pay(Op operation) throws InterruptedException {
    Call call = factories.get(operation.kind()).newCall(request(operation));
    try (Response response = operation.style().async() ? enqueued(call) : call.execute()) {
      return told(response);
    } catch (IOException | RuntimeException failed) {
      return Told.failure(failed);
    }
  }

  // The last answer is handed back unread, and may break while it is read.
  private static Told told(Response response) {
    RetryReport report = OkHttpReports.of(response);
    try {
      return Told.answer(response.code() + " " + response.body().string(), report);
    } catch (IOException broken) {
      return Told.brokenBody(broken, report);
    }
  }

  private static Response enqueued(Call call) throws IOException, InterruptedException {
    CompletableFuture<Response> answer = new CompletableFuture<>();
    call.enqueue(
        new Callback() {
          @Override
          public void onFailure(Call failed, IOException thrown) {
            answer.completeExceptionally(thrown);
          }

          @Override
          public void onResponse(Call answered, Response response) {
            answer.complete(response);
          }
        });
    try {
      return answer.get();
    } catch (ExecutionException failed) {
      throw (IOException) failed.getCause();
    }
  }

  private Request request(Op operation) {
    return new Request.Builder()
        .url(uri)
        .header(Payments.PRINCIPAL, operation.kind().principal())
        .header(Payments.ACCOUNT, operation.account())
        .post(RequestBody.create(operation.form(), FORM))
        .tag(RetryOptions.class, Payments.options(operation))
        .build();
  }

  @Override
  public Journaling.Kept intent(Op operation) {
    return factories.get(operation.kind()).intent(request(operation));
  }

  @Override
  public Journaling.Sender sender(OperationKind kind) {
    return factories.get(kind).sender();
  }
}
