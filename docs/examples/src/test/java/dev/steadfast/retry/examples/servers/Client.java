package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.effects.EffectResult;
import dev.steadfast.retry.effects.JdkEffects;
import dev.steadfast.retry.effects.OkHttpEffects;
import dev.steadfast.retry.effects.ReadModifyWrite;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Both clients of Steadfast, behind the same methods. */
enum Client {
  JAVA_NET_HTTP {
    @Override
    Told send(Call call, HttpRetry retry) throws InterruptedException {
      try {
        HttpResponse<String> answer =
            http(retry).with(call.options()).send(request(call), BodyHandlers.ofString());
        return new Told(
            answer.statusCode(),
            answer.body(),
            name -> answer.headers().firstValue(name).orElse(null),
            JdkReports.of(answer));
      } catch (IOException failure) {
        return Told.exception(failure);
      }
    }

    private static RetryingHttpClient http(HttpRetry retry) {
      return RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
    }

    private static HttpRequest request(Call call) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(call.uri()).timeout(Duration.ofSeconds(30));
      call.headers().forEach(request::header);
      return request
          .method(
              call.method(),
              call.form().isEmpty()
                  ? BodyPublishers.noBody()
                  : BodyPublishers.ofString(call.form()))
          .build();
    }

    @Override
    EffectResult<Long> update(URI account, HttpRetry retry, UnaryOperator<Long> change)
        throws InterruptedException {
      return atOnce(JdkEffects.readModifyWrite(http(retry), Client::amount, Client::form))
          .update(HttpRequest.newBuilder(account).build(), change);
    }

    @Override
    EffectResult<String> payWithToken(Call fetch, Function<String, Call> pay, HttpRetry retry)
        throws InterruptedException {
      return JdkEffects.oneTimeToken(http(retry), Client::token)
          .use(request(fetch), token -> request(pay.apply(token)));
    }
  },

  OKHTTP {
    @Override
    Told send(Call call, HttpRetry retry) {
      try (Response answer = calls(retry).newCall(request(call)).execute()) {
        return new Told(
            answer.code(), answer.body().string(), answer::header, OkHttpReports.of(answer));
      } catch (IOException failure) {
        return Told.exception(failure);
      }
    }

    private static RetryingCallFactory calls(HttpRetry retry) {
      OK_HTTP.connectionPool().evictAll(); // they lead to servers of earlier tests
      return RetryingCallFactory.wrap(OK_HTTP, retry);
    }

    private static Request request(Call call) {
      Request.Builder request =
          new Request.Builder().url(call.uri().toString()).tag(RetryOptions.class, call.options());
      call.headers().forEach(request::header);
      MediaType form = MediaType.get("application/x-www-form-urlencoded");
      boolean get = call.method().equals("GET");
      return request
          .method(call.method(), get ? null : RequestBody.create(call.form(), form))
          .build();
    }

    @Override
    EffectResult<Long> update(URI account, HttpRetry retry, UnaryOperator<Long> change)
        throws InterruptedException {
      return atOnce(OkHttpEffects.readModifyWrite(calls(retry), Client::amount, Client::form))
          .update(new Request.Builder().url(account.toString()).build(), change);
    }

    @Override
    EffectResult<String> payWithToken(Call fetch, Function<String, Call> pay, HttpRetry retry)
        throws InterruptedException {
      return OkHttpEffects.oneTimeToken(calls(retry), Client::token)
          .use(request(fetch), token -> request(pay.apply(token)));
    }
  };

  private static final OkHttpClient OK_HTTP =
      new OkHttpClient.Builder().readTimeout(Duration.ofSeconds(30)).build();

  abstract Told send(Call call, HttpRetry retry) throws InterruptedException;

  /** Changes the amount of an account with {@code ReadModifyWrite}. */
  abstract EffectResult<Long> update(URI account, HttpRetry retry, UnaryOperator<Long> change)
      throws InterruptedException;

  /** Pays with {@code OneTimeToken}. */
  abstract EffectResult<String> payWithToken(
      Call fetch, Function<String, Call> pay, HttpRetry retry) throws InterruptedException;

  private static <Q> ReadModifyWrite<Q, Long> atOnce(ReadModifyWrite.Builder<Q, Long> builder) {
    return builder.policy(RetryPolicy.builder().backoff(Backoff.none()).build()).build();
  }

  private static long amount(byte[] json) {
    return Long.parseLong(new String(json, StandardCharsets.UTF_8).replaceAll("[^0-9]", ""));
  }

  private static byte[] form(long amount) {
    return ("amount=" + amount).getBytes(StandardCharsets.UTF_8);
  }

  private static String token(ResponseView head, byte[] body) {
    return head.headers("Payment-Token").get(0);
  }
}
