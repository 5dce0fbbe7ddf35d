package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.OkHttpReports;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/** What the guides show of APIs that charge for each answer. */
final class AiApisGuide {
  private AiApisGuide() {}

  static RetryOptions search() {
    // region free-repeats
    RetryOptions search = RetryOptions.builder().replayable(true).paidRepeats(3).build();
    // endregion
    return search;
  }

  static void prompts(OkHttpClient.Builder builder) {
    // region ai-replayable
    RetryOptions prompt = RetryOptions.builder().replayable(true).paidRepeats(1).build();
    builder.addInterceptor(chain ->
        chain.proceed(chain.request().newBuilder().tag(RetryOptions.class, prompt).build()));
    // endregion
  }

  static int billed(Response response) {
    // region ai-billed
    RetryReport report = OkHttpReports.of(response);
    int most = report.attemptsPerhapsBilled(); // 1 if all went well
    // endregion
    return most;
  }
}
