package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.Body;
import retrofit2.http.POST;
import retrofit2.http.Tag;

/** What the guides show of Retrofit. */
final class RetrofitGuide {
  private RetrofitGuide() {}

  // region retrofit-interface
  interface Payments {
    @POST("payments")
    Call<ResponseBody> pay(@Body RequestBody payment, @Tag RetryOptions options);
  }

  // endregion

  static void pay(HttpUrl url, HttpRetry retry, RequestBody payment) throws IOException {
    // region retrofit
    Retrofit retrofit =
        new Retrofit.Builder()
            .baseUrl(url)
            .callFactory(RetryingCallFactory.wrap(new OkHttpClient(), retry))
            .build();
    Payments payments = retrofit.create(Payments.class);

    RetryOptions options = RetryOptions.builder().idempotencyKey("order-12345-payment").build();
    Response<ResponseBody> response = payments.pay(payment, options).execute();
    System.out.println(response.code() + ", " + OkHttpReports.of(response.raw()));
    // endregion
  }
}
