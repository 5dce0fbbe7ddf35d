package dev.steadfast.retry.ordinary.rows;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import com.google.protobuf.StringValue;
import com.squareup.moshi.Moshi;
import dev.steadfast.retry.ordinary.Entry;
import dev.steadfast.retry.ordinary.Entry.Way;
import dev.steadfast.retry.ordinary.Exchange;
import dev.steadfast.retry.ordinary.OkClient;
import dev.steadfast.retry.ordinary.Row;
import dev.steadfast.retry.ordinary.Run;
import dev.steadfast.retry.ordinary.Text;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import kotlinx.serialization.json.Json;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Callback;
import retrofit2.Converter;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.converter.gson.GsonConverterFactory;
import retrofit2.converter.jackson.JacksonConverterFactory;
import retrofit2.converter.kotlinx.serialization.KotlinSerializationConverterFactory;
import retrofit2.converter.moshi.MoshiConverterFactory;
import retrofit2.converter.protobuf.ProtoConverterFactory;
import retrofit2.converter.scalars.ScalarsConverterFactory;
import retrofit2.http.Body;
import retrofit2.http.Field;
import retrofit2.http.FieldMap;
import retrofit2.http.FormUrlEncoded;
import retrofit2.http.GET;
import retrofit2.http.Header;
import retrofit2.http.Multipart;
import retrofit2.http.POST;
import retrofit2.http.Part;
import retrofit2.http.PartMap;
import retrofit2.http.Path;
import retrofit2.http.Query;
import retrofit2.http.Streaming;
import retrofit2.http.Tag;

/** Retrofit with its converters and forms. */
final class RetrofitRows {
  static final String CANCELLED =
      "a call that is cancelled before it starts sends no events to an event listener";
  private static final MediaType JSON = MediaType.get("application/json");

  private RetrofitRows() {}

  /** What users declare. */
  interface Api {
    @POST("echo")
    Call<Map<String, String>> map(@Body Map<String, String> body);

    @POST("echo")
    Call<String> text(@Body String body);

    @POST("echo")
    Call<StringValue> proto(@Body StringValue body);

    @GET("things/{id}")
    Call<String> get(
        @Path("id") String id, @Query("q") List<String> q, @Header("X-A") String a, @Tag Object t);

    @FormUrlEncoded
    @POST("form")
    Call<ResponseBody> form(@Field("a") String a, @FieldMap Map<String, String> more);

    @Multipart
    @POST("parts")
    Call<ResponseBody> parts(
        @Part("order") RequestBody order,
        @Part MultipartBody.Part file,
        @PartMap Map<String, RequestBody> more);

    @Streaming
    @GET("stream")
    Call<ResponseBody> stream();

    @GET("future")
    CompletableFuture<String> future();
  }

  static List<Row> rows() {
    return Stream.of(converters(), forms()).flatMap(rows -> rows).toList();
  }

  private static Stream<Row> converters() {
    Converter.Factory gson = GsonConverterFactory.create(new Gson());
    Converter.Factory jackson = JacksonConverterFactory.create(new ObjectMapper());
    Converter.Factory moshi = MoshiConverterFactory.create(new Moshi.Builder().build());
    return Stream.of(
            maps("Gson", gson),
            maps("Jackson", jackson),
            maps("Moshi", moshi),
            maps("kotlinx", kotlinx()),
            streaming("Gson", gson),
            streaming("Jackson", jackson),
            streaming("Moshi", moshi),
            Stream.of(
                row("Scalars", ScalarsConverterFactory.create(), api -> api.text("text")),
                row(
                    "Scalars, large",
                    ScalarsConverterFactory.create(),
                    api -> api.text("x".repeat(100_000))),
                row(
                    "protobuf",
                    ProtoConverterFactory.create(),
                    api -> api.proto(StringValue.of("value")))))
        .flatMap(rows -> rows);
  }

  private static Converter.Factory kotlinx() {
    return KotlinSerializationConverterFactory.create(Json.Default, JSON);
  }

  private static Stream<Row> maps(String name, Converter.Factory converter) {
    return Stream.of(
        row(name, converter, api -> api.map(Map.of("key", "value"))),
        row(name + ", large", converter, api -> api.map(Map.of("key", "v".repeat(100_000)))));
  }

  private static Stream<Row> streaming(String name, Converter.Factory converter) {
    Converter.Factory streaming = withStreaming(converter);
    return maps(name + ", streaming", streaming);
  }

  /** By reflection, because not each converter of each version has it. */
  private static Converter.Factory withStreaming(Converter.Factory converter) {
    try {
      Method method = converter.getClass().getMethod("withStreaming");
      return (Converter.Factory) method.invoke(converter);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Retrofit 3 has it", e);
    }
  }

  /** Makes a call of the interface. */
  @FunctionalInterface
  interface Calls {
    Call<?> of(Api api);
  }

  private static Row row(String name, Converter.Factory converter, Calls calls) {
    return Row.named("Retrofit: " + name)
        .answers(RetrofitRows::echo)
        .okHttp(client -> call(client, calls.of(api(client, converter))));
  }

  private static Api api(OkClient client, Converter.Factory converter) {
    return new Retrofit.Builder()
        .baseUrl(client.run().uri("/").toString())
        .callFactory(client.calls())
        .addConverterFactory(converter)
        .build()
        .create(Api.class);
  }

  private static void echo(Exchange exchange) throws IOException {
    String type = exchange.header("Content-Type");
    if (type != null && type.startsWith("multipart/")) {
      exchange.reply(200, exchange.body().length + " bytes");
      return;
    }
    exchange.reply(200, exchange.body(), "Content-Type: " + (type == null ? "text/plain" : type));
  }

  private static <T> void call(OkClient client, Call<T> call) throws Exception {
    Run run = client.run();
    if (run.way() == Way.EXECUTE) {
      note(run, call.execute());
      return;
    }
    Thread caller = Thread.currentThread();
    CountDownLatch done = new CountDownLatch(1);
    call.enqueue(
        new Callback<T>() {
          @Override
          public void onResponse(Call<T> of, Response<T> response) {
            run.note("callbacks", "onResponse on " + Text.kind(Thread.currentThread(), caller));
            note(run, response);
            done.countDown();
          }

          @Override
          public void onFailure(Call<T> of, Throwable thrown) {
            run.note("callbacks", "onFailure on " + Text.kind(Thread.currentThread(), caller));
            run.note("result", Text.of(thrown));
            done.countDown();
          }
        });
    Run.await(done);
  }

  private static void note(Run run, Response<?> response) {
    Object body = response.body();
    run.note("result", response.code() + " " + response.message() + " " + response.headers());
    try {
      String text = body instanceof ResponseBody raw ? raw.string() : String.valueOf(body);
      run.note("result", Text.of(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    } catch (IOException e) {
      run.note("result", Text.of(e));
    }
  }

  private static Call<?> multipart(Api api, int length) {
    RequestBody file = RequestBody.create(Bodies.bytes(length), Bodies.BINARY);
    return api.parts(
        RequestBody.create("4711", Bodies.TEXT),
        MultipartBody.Part.createFormData("bill", "b\u00efll.bin", file),
        Map.of("note", RequestBody.create("more", Bodies.TEXT)));
  }

  private static Stream<Row> forms() {
    Converter.Factory scalars = ScalarsConverterFactory.create();
    return Stream.of(
        row(
            "path, query, header and tag",
            scalars,
            api -> api.get("a/b", List.of("1", "\u00e9"), "x", List.of("tag"))),
        row("form", scalars, api -> api.form("v", Map.of("b", "c d"))),
        row("multipart", scalars, api -> multipart(api, 10)),
        row("multipart, large", scalars, api -> multipart(api, 100_000)),
        row("streaming answer", scalars, Api::stream),
        row("clone of a call", scalars, api -> api.stream().clone()),
        row(
                "cancelled before",
                scalars,
                api -> {
                  Call<?> call = api.stream();
                  call.cancel();
                  return call;
                })
            .differs("events", CANCELLED, Entry.FACTORY_EXECUTE, Entry.FACTORY_ENQUEUE),
        Row.named("Retrofit: CompletableFuture")
            .ways(Way.ENQUEUE)
            .okHttp(client -> client.run().note("result", api(client, scalars).future().get())),
        Row.named("Retrofit: an error status")
            .answers(exchange -> exchange.reply(422, "bad", "Content-Type: text/plain"))
            .okHttp(client -> call(client, api(client, scalars).text("text"))),
        Row.named("Retrofit: an answer that cannot be converted")
            .answers(exchange -> exchange.reply(200, "not json", "Content-Type: text/plain"))
            .okHttp(client ->
                call(
                    client,
                    api(client, GsonConverterFactory.create()).map(Map.of("key", "value")))));
  }
}
