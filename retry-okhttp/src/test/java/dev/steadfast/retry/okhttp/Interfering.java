package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.tck.Interference;
import dev.steadfast.retry.tck.ScenarioOutcome;
import java.io.IOException;
import java.util.UUID;
import okhttp3.Authenticator;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * The interceptors and authenticators of the scenario table's users.
 *
 * @param other the client that one of them sends by
 * @param how what is done
 */
record Interfering(OkHttpClient other, Interference how) implements Interceptor {
  private static final String KEY = "Idempotency-Key";

  // The second challenge is not answered.
  private static final Authenticator ANEW =
      (route, response) ->
          response.request().header("Authorization") != null
              ? null
              : new Request.Builder()
                  .url(response.request().url())
                  .method(response.request().method(), response.request().body())
                  .header("Authorization", "Basic x")
                  .build();

  /** Adds it where it runs once per attempt. */
  OkHttpClient.Builder in(OkHttpClient.Builder builder) {
    return switch (how) {
      case NONE -> builder;
      case AUTHENTICATES_ANEW -> builder.authenticator(ANEW);
      default -> builder.addInterceptor(this);
    };
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    return switch (how) {
      case MAPS_ERRORS -> mapped(chain.proceed(chain.request()));
      case SENDS_ELSEWHERE -> mapped(other.newCall(chain.request()).execute());
      case WRAPS_FAILURES -> wrapped(chain);
      case LIMITS_ALL -> chain.proceed(chain.request()).newBuilder().code(429).build();
      case PASSES_ON -> passedOn(chain);
      case FETCHES_TOKEN -> withToken(chain);
      default -> chain.proceed(changed(chain.request()));
    };
  }

  private static Response passedOn(Chain chain) throws IOException {
    try {
      return chain.proceed(chain.request().newBuilder().header("X-Trace", "1").build());
    } catch (IOException failure) {
      System.getLogger(Interfering.class.getName()).log(System.Logger.Level.DEBUG, failure);
      throw failure;
    }
  }

  private static Response withToken(Chain chain) throws IOException {
    Request token =
        chain
            .request()
            .newBuilder()
            .url(chain.request().url().resolve("/token"))
            .post(Rig.BODY)
            .build();
    chain.proceed(token).close();
    return chain.proceed(chain.request());
  }

  private Request changed(Request request) {
    Request.Builder changed = request.newBuilder();
    RequestBody body = request.body() == null ? Rig.BODY : request.body();
    return switch (how) {
      case DROPS_KEY -> changed.removeHeader(KEY).build();
      case MAKES_KEYS -> changed.header(KEY, UUID.randomUUID().toString()).build();
      case MAKES_POST -> changed.post(body).build();
      case MAKES_PUT -> changed.put(body).build();
      default -> throw new AssertionError(how);
    };
  }

  private static Response mapped(Response response) throws IOException {
    if (response.code() < 400) {
      return response;
    }
    response.close();
    throw usersOwn("HTTP " + response.code());
  }

  private static Response wrapped(Chain chain) throws IOException {
    try {
      return chain.proceed(chain.request());
    } catch (IOException failure) {
      throw usersOwn("backend: " + failure.getMessage());
    }
  }

  private static IOException usersOwn(String message) {
    return new IOException(message, new ScenarioOutcome.UserCodeException());
  }
}
