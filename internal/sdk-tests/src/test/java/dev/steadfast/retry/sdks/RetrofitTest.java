package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import retrofit2.Call;
import retrofit2.Retrofit;
import retrofit2.http.Body;
import retrofit2.http.POST;

final class RetrofitTest {
  private static final String SDK = "Retrofit";
  @AutoClose private final CountingServer server = new CountingServer();
  private final HttpRetry retry = server.retry();

  interface Payments {
    @POST("/payments")
    Call<ResponseBody> pay(@Body RequestBody payment);
  }

  static Payments payments(String url, HttpRetry retry) {
    Retrofit retrofit =
        new Retrofit.Builder()
            .baseUrl(url)
            .callFactory(RetryingCallFactory.wrap(new OkHttpClient(), retry))
            .build();
    return retrofit.create(Payments.class);
  }

  @Test
  void steadfastAlone() throws Exception {
    server.recovers("{}");
    assertEquals(200, pay());
    server.assertAlone(SDK, 3, 1);
  }

  @Test
  void steadfastAlone_whileTheServerIsDown() throws Exception {
    server.isDown();
    assertEquals(503, pay());
    server.assertAlone(SDK, 3, 1);
  }

  private int pay() throws Exception {
    RequestBody payment = RequestBody.create("{}", null);
    return payments(server.url(), retry).pay(payment).execute().code();
  }
}
