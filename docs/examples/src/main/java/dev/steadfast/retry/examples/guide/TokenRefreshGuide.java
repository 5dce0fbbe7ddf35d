package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.springframework.http.client.ClientHttpRequestInterceptor;

/** What the guides show of tokens that expire. */
final class TokenRefreshGuide {
  private TokenRefreshGuide() {}

  /** Where tokens come from. */
  interface Tokens {
    String current();

    void expired();
  }

  // region token-rules
  record TokenRules(Tokens tokens, HttpClassifier rules) implements HttpClassifier {
    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      if (response.status() == 401) {
        tokens.expired(); // the next attempt gets another one
      }
      return rules.onResponse(operation, response, signals);
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      return rules.onFailure(operation, failure);
    }
  }

  static HttpRetry withTokens(Tokens tokens) {
    HttpClassifier rules = StandardRules.builder().alsoRetry(401).build();
    return HttpRetry.builder()
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .classifier(new TokenRules(tokens, rules))
        .oncePerAttempt(
            "Authorization", (operation, attempt) -> Optional.of("Bearer " + tokens.current()))
        .build();
  }

  // endregion

  static Call.Factory authenticator(Tokens tokens, HttpRetry retry) {
    OkHttpClient client =
        new OkHttpClient.Builder()
            .authenticator((route, refused) -> {
              if (refused.priorResponse() != null) {
                return null; // the new token was refused, too
              }
              tokens.expired();
              String token = "Bearer " + tokens.current();
              return refused.request().newBuilder().header("Authorization", token).build();
            })
            .build();
    Call.Factory calls = RetryingCallFactory.wrap(client, retry);
    return calls;
  }

  record Refreshing(Tokens tokens) implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      Response response = chain.proceed(authorized(chain.request()));
      if (response.code() != 401) {
        return response;
      }
      response.close();
      tokens.expired();
      return chain.proceed(authorized(chain.request()));
    }

    private Request authorized(Request request) {
      return request.newBuilder().header("Authorization", "Bearer " + tokens.current()).build();
    }
  }

  static OkHttpClient interceptor(Tokens tokens, HttpRetry retry) {
    OkHttpClient.Builder builder = new OkHttpClient.Builder();
    builder.addInterceptor(new Refreshing(tokens)); // before addTo: around all attempts
    return RetryInterceptor.addTo(builder, retry).build();
  }

  static HttpResponse<String> outside(HttpClient http, URI uri, String order, Tokens tokens)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .POST(BodyPublishers.ofString(order))
            .header("Idempotency-Key", "order-12345-payment"); // one key for both operations
    request.setHeader("Authorization", "Bearer " + tokens.current());
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() == 401) {
      tokens.expired();
      request.setHeader("Authorization", "Bearer " + tokens.current());
      response = http.send(request.build(), BodyHandlers.ofString());
    }
    return response;
  }

  static ClientHttpRequestInterceptor spring(Tokens tokens) {
    ClientHttpRequestInterceptor refreshing =
        (request, body, execution) -> {
          request.getHeaders().set("Idempotency-Key", "order-12345-payment");
          request.getHeaders().setBearerAuth(tokens.current());
          var response = execution.execute(request, body);
          if (response.getStatusCode().value() != 401) {
            return response;
          }
          response.close();
          tokens.expired();
          request.getHeaders().setBearerAuth(tokens.current());
          return execution.execute(request, body);
        };
    return refreshing;
  }
}
