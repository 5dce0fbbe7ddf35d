package dev.steadfast.retry.ai;

import com.anthropic.core.RequestOptions;
import com.anthropic.core.http.Headers;
import com.anthropic.core.http.HttpClient;
import com.anthropic.core.http.HttpRequest;
import com.anthropic.core.http.HttpRequestBody;
import com.anthropic.core.http.HttpResponse;
import com.anthropic.errors.AnthropicIoException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Sends the requests of anthropic-java through a client of OkHttp that has Steadfast. */
final class AnthropicTransport implements HttpClient {
  private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");
  private static final RequestBody NOTHING = RequestBody.create(new byte[0], null);

  private final OkHttpClient client;

  AnthropicTransport(OkHttpClient client) {
    this.client = client;
  }

  @Override
  public HttpResponse execute(HttpRequest request, RequestOptions options) {
    try {
      return answer(call(request, options).execute());
    } catch (IOException failed) {
      throw new AnthropicIoException("Request failed", failed);
    }
  }

  @Override
  public CompletableFuture<HttpResponse> executeAsync(HttpRequest request, RequestOptions options) {
    CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
    Call call = call(request, options);
    answer.whenComplete((any, failed) -> {
      if (answer.isCancelled()) {
        call.cancel();
      }
    });
    call.enqueue(
        new Callback() {
          @Override
          public void onResponse(Call from, Response response) {
            if (!answer.complete(answer(response))) {
              response.close();
            }
          }

          @Override
          public void onFailure(Call from, IOException failed) {
            answer.completeExceptionally(new AnthropicIoException("Request failed", failed));
          }
        });
    return answer;
  }

  @Override
  public void close() {}

  private Call call(HttpRequest request, RequestOptions options) {
    return options
        .timeout()
        .map(timeout ->
            client
                .newBuilder()
                .connectTimeout(timeout.connect())
                .readTimeout(timeout.read())
                .writeTimeout(timeout.write())
                .build()) // without request(), 10 min by default: it would end all attempts
        .orElse(client)
        .newCall(of(request));
  }

  private static Request of(HttpRequest request) {
    Request.Builder copy = new Request.Builder().url(request.url());
    for (String name : request.headers().names()) {
      request.headers().values(name).forEach(value -> copy.addHeader(name, value));
    }
    RequestBody none = WITH_BODY.contains(request.method().name()) ? NOTHING : null;
    return copy.method(request.method().name(), request.body().map(body -> of(body)).orElse(none))
        .build();
  }

  private static RequestBody of(HttpRequestBody body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    body.writeTo(bytes);
    String type = body.contentType();
    return RequestBody.create(bytes.toByteArray(), type == null ? null : MediaType.parse(type));
  }

  private static HttpResponse answer(Response response) {
    Headers.Builder headers = Headers.builder();
    response.headers().names().forEach(name -> headers.put(name, response.headers(name)));
    Headers read = headers.build();
    return new HttpResponse() {
      @Override
      public int statusCode() {
        return response.code();
      }

      @Override
      public Headers headers() {
        return read;
      }

      @Override
      public InputStream body() {
        return response.body().byteStream();
      }

      @Override
      public void close() {
        response.close();
      }
    };
  }
}
