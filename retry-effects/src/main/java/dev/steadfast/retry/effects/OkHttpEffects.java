package dev.steadfast.retry.effects;

import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.util.function.BiFunction;
import java.util.function.Function;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The helpers for OkHttp. Wrap a client with a {@code RetryInterceptor} in a {@link
 * RetryingCallFactory}, which takes the interceptor out.
 */
@SuppressWarnings("exports") // the client is optional, so whoever uses it requires its module
public final class OkHttpEffects {
  private OkHttpEffects() {}

  /**
   * Optimistic locking through a call factory. Bodies are read into memory.
   *
   * @param calls makes the calls
   * @param decode makes a value of the body of an answer
   * @param encode makes the body of a value
   * @param <T> the value, with {@code equals}, so that the helper recognises its own write
   * @return a builder with the default settings
   */
  public static <T> ReadModifyWrite.Builder<Request, T> readModifyWrite(
      RetryingCallFactory calls,
      Function<? super byte[], ? extends T> decode,
      Function<? super T, byte[]> encode) {
    return new ReadModifyWrite.Builder<>(
        new OkHttpCalls(Checks.notNull("calls", calls)), decode, encode);
  }

  /**
   * One-time tokens through a call factory. Bodies are read into memory.
   *
   * @param calls makes the calls
   * @param read finds the token in the head or the body of an answer; null if there is none
   * @return a helper
   */
  public static OneTimeToken<Request> oneTimeToken(
      RetryingCallFactory calls, BiFunction<ResponseView, byte[], @Nullable String> read) {
    return OneTimeToken.over(new OkHttpCalls(Checks.notNull("calls", calls)), read);
  }
}
