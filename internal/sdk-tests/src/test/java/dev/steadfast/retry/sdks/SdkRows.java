package dev.steadfast.retry.sdks;

import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpPipelineBuilder;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.http.okhttp.OkHttpAsyncHttpClientBuilder;
import com.azure.core.util.Context;
import com.google.genai.types.ClientOptions;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.slack.api.Slack;
import com.slack.api.SlackConfig;
import com.slack.api.util.http.SlackHttpClient;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.JdkClient;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Policy;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import dev.steadfast.retry.ordinary.Text;
import feign.Feign;
import feign.Request;
import feign.Retryer;
import io.minio.MinioClient;
import io.minio.PutObjectArgs;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import retrofit2.Retrofit;

/** SDKs on a plain client and on a wrapped one, with their own retries off. */
final class SdkRows {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int SHORT_MILLIS = 300;
  private static final int LONG_MILLIS = 12_000;

  private static final String CHAT =
      "{\"id\":\"a\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
          + "[{\"index\":0,\"finish_reason\":\"stop\",\"logprobs\":null,"
          + "\"message\":{\"role\":\"assistant\",\"content\":\"hi\",\"refusal\":null}}]}";
  private static final String CONTENT =
      "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi\"}]},"
          + "\"finishReason\":\"STOP\"}]}";

  private SdkRows() {}

  /** What a user does with an SDK; the result is what it gave. */
  @FunctionalInterface
  private interface Use<C> {
    Object of(C client) throws Exception;
  }

  /** Each answers soon, and after 12 s: longer than OkHttp waits if nobody sets a timeout. */
  static List<Row> rows() {
    return Stream.of(rows(SHORT_MILLIS), rows(LONG_MILLIS).map(Row::slow))
        .flatMap(rows -> rows)
        .toList();
  }

  private static Stream<Row> rows(int millis) {
    return Stream.of(
        okHttp("openai-java", millis, CHAT, SdkRows::openAi),
        okHttp("google-genai", millis, CONTENT, SdkRows::genAi),
        okHttp("azure-core-http-okhttp", millis, "{}", SdkRows::azure),
        // Its requests carry the time and a signature of it.
        okHttp("MinIO", millis, "", SdkRows::minio).withoutServer(),
        okHttp("Slack", millis, "{\"ok\":true}", SdkRows::slack),
        okHttp("feign-okhttp", millis, "{}", SdkRows::feign),
        retrofit(millis),
        jdk("langchain4j", millis, CHAT, SdkRows::langchain4j),
        jdk("azure-core-http-jdk-httpclient", millis, "{}", SdkRows::azure),
        jdk("feign-java11", millis, "{}", SdkRows::feign));
  }

  private static Row row(String sdk, int millis, String answer) {
    return Row.named(sdk + ", an answer after " + millis + " ms")
        .policies(Policy.DEFAULTS)
        .withoutEvents()
        .answers(exchange -> answer(exchange, millis, answer));
  }

  /** Gives the SDK the client as it is: wrapped by an interceptor, if at all. */
  private static Row okHttp(String sdk, int millis, String answer, Use<OkClient> use) {
    return row(sdk, millis, answer)
        .entries(Entry.INTERCEPTOR_EXECUTE)
        .okHttpClient((builder, run) -> builder.readTimeout(PATIENCE))
        .okHttp(client -> client.run().note("result", result(use, client)));
  }

  private static Row jdk(String sdk, int millis, String answer, Use<JdkClient> use) {
    return row(sdk, millis, answer)
        .entries(Entry.SEND)
        .jdkClient((builder, run) -> builder.connectTimeout(Duration.ofSeconds(5)))
        .jdk(client -> client.run().note("result", result(use, client)));
  }

  private static <C> Object result(Use<C> use, C client) {
    try {
      return use.of(client);
    } catch (Exception e) {
      return "failed: " + Text.of(e);
    }
  }

  private static void answer(Exchange exchange, int millis, String answer)
      throws IOException, InterruptedException {
    if (new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)) {
      throw new AssertionError();
    }
    exchange.reply(200, answer, "Content-Type: application/json; charset=utf-8", "ETag: \"1\"");
  }

  private static String url(Run run) {
    String url = run.uri("/").toString();
    return url.substring(0, url.length() - 1);
  }

  private static Object openAi(OkClient client) {
    return OpenAiTest.ask(
            OpenAIOkHttpClient.builder()
                .okHttpClient(client.client())
                .timeout(PATIENCE)
                .maxRetries(0)
                .baseUrl(url(client.run()))
                .apiKey("key")
                .build())
        .choices();
  }

  private static Object genAi(OkClient client) {
    HttpRetryOptions none = HttpRetryOptions.builder().attempts(1).initialDelay(0.0).build();
    try (com.google.genai.Client models =
        com.google.genai.Client.builder()
            .clientOptions(ClientOptions.builder().customHttpClient(client.client()).build())
            .httpOptions(
                HttpOptions.builder().baseUrl(url(client.run())).retryOptions(none).build())
            .apiKey("key")
            .build()) {
      return models.models.generateContent("m", "hello", null).text();
    }
  }

  private static Object azure(OkClient client) {
    return azure(new OkHttpAsyncHttpClientBuilder(client.client()).build(), client.run());
  }

  private static Object azure(JdkClient client) {
    return azure(new JdkHttpClientBuilder(builder(client.run())).build(), client.run());
  }

  private static Object azure(com.azure.core.http.HttpClient client, Run run) {
    HttpRequest request = new HttpRequest(HttpMethod.POST, url(run)).setBody("{}");
    try (var response =
        new HttpPipelineBuilder().httpClient(client).build().sendSync(request, Context.NONE)) {
      return response.getStatusCode() + " " + response.getBodyAsBinaryData();
    }
  }

  private static Object minio(OkClient client) throws Exception {
    byte[] content = "content".getBytes(StandardCharsets.UTF_8);
    try (MinioClient minio =
        MinioClient.builder()
            .endpoint(url(client.run()))
            .credentials("access", "secret")
            .region("us-east-1")
            .httpClient(client.client())
            .build()) {
      minio.setRetry(null, null, null);
      return minio
          .putObject(
              PutObjectArgs.builder()
                  .bucket("bucket")
                  .object("o")
                  .data(content, content.length)
                  .build())
          .etag();
    }
  }

  private static Object slack(OkClient client) throws Exception {
    SlackConfig config = new SlackConfig();
    config.setMethodsEndpointUrlPrefix(url(client.run()) + "/");
    config.setStatsEnabled(false);
    try (Slack slack = Slack.getInstance(config, new SlackHttpClient(client.client()))) {
      return SlackTest.post(slack);
    }
  }

  private static Object feign(OkClient client) {
    return payments(new feign.okhttp.OkHttpClient(client.client()), client.run());
  }

  private static Object feign(JdkClient client) {
    return payments(new feign.http2client.Http2Client(client.http()), client.run());
  }

  /** The options are those of a client of the JDK: another one would be made otherwise. */
  private static Object payments(feign.Client client, Run run) {
    return Feign.builder()
        .client(client)
        .options(new Request.Options(5, TimeUnit.SECONDS, 60, TimeUnit.SECONDS, false))
        .retryer(Retryer.NEVER_RETRY)
        .target(FeignPayments.class, url(run))
        .pay("{}");
  }

  private static Row retrofit(int millis) {
    return row("Retrofit", millis, "{}")
        .okHttpClient((builder, run) -> builder.readTimeout(PATIENCE))
        .entries(Entry.FACTORY_EXECUTE, Entry.INTERCEPTOR_EXECUTE)
        .okHttp(client -> {
          RetrofitTest.Payments payments =
              new Retrofit.Builder()
                  .baseUrl(url(client.run()))
                  .callFactory(client.calls())
                  .build()
                  .create(RetrofitTest.Payments.class);
          ResponseBody body = payments.pay(RequestBody.create("{}", null)).execute().body();
          client.run().note("result", body == null ? "nothing" : body.string());
        });
  }

  private static Object langchain4j(JdkClient client) {
    return OpenAiChatModel.builder()
        .httpClientBuilder(JdkHttpClient.builder().httpClientBuilder(builder(client.run())))
        .timeout(PATIENCE)
        .maxRetries(0)
        .baseUrl(url(client.run()))
        .apiKey("key")
        .modelName("gpt-5")
        .build()
        .chat("hello");
  }

  private static HttpClient.Builder builder(Run run) {
    return run.wrapped()
        ? RetryingHttpClient.newBuilder(HttpRetry.defaults())
        : HttpClient.newBuilder();
  }
}
