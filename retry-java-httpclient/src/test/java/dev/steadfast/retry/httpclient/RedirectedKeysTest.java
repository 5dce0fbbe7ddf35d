package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Propagation;
import dev.steadfast.retry.http.RetryOptions;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;

class RedirectedKeysTest {
  private final List<String> warnings = new ArrayList<>();

  private RedirectedKeys check(Redirect redirect, HttpRetry retry) {
    return new RedirectedKeys(follows(redirect), retry, logger());
  }

  private static HttpClient follows(Redirect redirect) {
    return HttpClient.newBuilder().followRedirects(redirect).build();
  }

  private Logger logger() {
    return (Logger)
        Proxy.newProxyInstance(
            Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class},
            (proxy, method, arguments) -> {
              warnings.add(method.getName() + ": " + arguments[0]);
              return null;
            });
  }

  private static HttpRetry.Builder keyed() {
    return HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NEVER")
  void clientThatFollowsRedirectsIsWarnedAboutOnce(Redirect redirect) {
    RedirectedKeys keys = check(redirect, keyed().build());
    keys.check(true);
    assertEquals(1, warnings.size(), warnings::toString);
  }

  @Test
  void clientThatIsWrappedAgainIsNotWarnedAboutAgain() {
    HttpClient client = follows(Redirect.NORMAL);
    new RedirectedKeys(client, keyed().build(), logger());
    new RedirectedKeys(client, keyed().build(), logger()).check(true);
    assertEquals(1, warnings.size(), warnings::toString);
  }

  @Test
  void keyOfOneOperationIsWarnedAboutWhenItIsUsed() {
    RedirectedKeys keys = check(Redirect.NORMAL, HttpRetry.defaults());
    keys.check(false);
    assertEquals(List.of(), warnings);
    keys.check(true);
    keys.check(true);
    assertEquals(1, warnings.size(), warnings::toString);
  }

  @Test
  void clientThatFollowsNoneIsNot() {
    check(Redirect.NEVER, keyed().refuseRedirectedKeys(true).build()).check(true);
    assertEquals(List.of(), warnings);
  }

  @Test
  void wrapRefusesWhereTheConfigurationSaysSo() {
    HttpRetry refusing = keyed().refuseRedirectedKeys(true).build();
    HttpClient follows = follows(Redirect.NORMAL);
    assertThrows(IllegalArgumentException.class, () -> RetryingHttpClient.wrap(follows, refusing));
    assertDoesNotThrow(() -> RetryingHttpClient.wrap(follows(Redirect.NEVER), refusing));
    assertDoesNotThrow(() -> RetryingHttpClient.wrap(follows, keyed().build()));
  }

  @Test
  void sendRefusesTheKeyOfOneOperation() {
    RetryingHttpClient client =
        RetryingHttpClient.wrap(
            follows(Redirect.NORMAL), HttpRetry.builder().refuseRedirectedKeys(true).build());
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:1/")).build();
    RetryOptions keyed = RetryOptions.builder().idempotencyKey("order-1").build();
    assertThrows(
        IllegalArgumentException.class,
        () -> client.with(keyed).send(request, BodyHandlers.ofString()));
  }

  @Test
  void sendRefusesToLetAScopeGoToOtherOrigins() {
    RetryingHttpClient client =
        RetryingHttpClient.wrap(
            follows(Redirect.NORMAL),
            HttpRetry.builder()
                .refuseRedirectedKeys(true)
                .propagation(Propagation.to("http://127.0.0.1:1"))
                .build());
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:1/")).build();
    Exception refused =
        assertThrows(
            IllegalArgumentException.class, () -> client.send(request, BodyHandlers.ofString()));
    assertEquals(
        "followRedirects: NORMAL (expected: NEVER, as a redirect would carry idempotency keys and"
            + " the headers of a propagation to other origins)",
        refused.getMessage());
  }
}
