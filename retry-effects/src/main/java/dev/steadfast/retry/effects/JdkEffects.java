package dev.steadfast.retry.effects;

import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.internal.Checks;
import java.net.http.HttpRequest;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The helpers for {@code java.net.http}. */
@SuppressWarnings("exports") // the client is optional, so whoever uses it requires its module
public final class JdkEffects {
  private JdkEffects() {}

  /**
   * Optimistic locking through a client. Bodies are read into memory.
   *
   * @param http sends the requests; a view with a key cannot be used, as a key stands for one
   *     request
   * @param decode makes a value of the body of an answer
   * @param encode makes the body of a value
   * @param <T> the value, with {@code equals}, so that the helper recognises its own write
   * @return a builder with the default settings
   */
  public static <T> ReadModifyWrite.Builder<HttpRequest, T> readModifyWrite(
      RetryingHttpClient http,
      Function<? super byte[], ? extends T> decode,
      Function<? super T, byte[]> encode) {
    return new ReadModifyWrite.Builder<>(
        new JdkClient(Checks.notNull("http", http)), decode, encode);
  }

  /**
   * One-time tokens through a client. Bodies are read into memory.
   *
   * @param http sends the requests; a view with a key cannot be used, as a key stands for one
   *     request
   * @param read finds the token in the head or the body of an answer; null if there is none
   * @return a helper
   */
  public static OneTimeToken<HttpRequest> oneTimeToken(
      RetryingHttpClient http, BiFunction<ResponseView, byte[], @Nullable String> read) {
    return OneTimeToken.over(new JdkClient(Checks.notNull("http", http)), read);
  }
}
