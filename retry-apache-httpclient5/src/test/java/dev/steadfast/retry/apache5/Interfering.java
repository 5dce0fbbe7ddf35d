package dev.steadfast.retry.apache5;

import dev.steadfast.retry.tck.Interference;
import dev.steadfast.retry.tck.ScenarioOutcome;
import java.io.IOException;
import java.util.UUID;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/**
 * The handlers of the scenario table's users, within an attempt.
 *
 * @param other the client that one of them sends by
 * @param how what is done
 */
record Interfering(CloseableHttpClient other, Interference how) implements ExecChainHandler {
  private static final String KEY = "Idempotency-Key";

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    return switch (how) {
      case MAPS_ERRORS -> mapped(chain.proceed(request, scope));
      case SENDS_ELSEWHERE ->
          mapped(other.executeOpen(null, ClassicRequestBuilder.copy(request).build(), null));
      case WRAPS_FAILURES -> wrapped(request, scope, chain);
      case LIMITS_ALL -> limited(chain.proceed(request, scope));
      case PASSES_ON -> passedOn(request, scope, chain);
      case FETCHES_TOKEN -> withToken(request, scope, chain);
      case AUTHENTICATES_ANEW -> anew(request, scope, chain);
      default -> chain.proceed(changed(request), scope);
    };
  }

  private static ClassicHttpResponse limited(ClassicHttpResponse response) {
    response.setCode(429);
    return response;
  }

  private static ClassicHttpResponse passedOn(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    try {
      request.setHeader("X-Trace", "1");
      return chain.proceed(request, scope);
    } catch (IOException failure) {
      System.getLogger(Interfering.class.getName()).log(System.Logger.Level.DEBUG, failure);
      throw failure;
    }
  }

  private static ClassicHttpResponse withToken(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClassicHttpRequest token =
        ClassicRequestBuilder.post()
            .setHttpHost(scope.route.getTargetHost())
            .setPath("/token")
            .setEntity(new ByteArrayEntity(new byte[] {1}, null))
            .build();
    try (ClassicHttpResponse answer = chain.proceed(token, scope)) {
      EntityUtils.consume(answer.getEntity());
    }
    return chain.proceed(request, scope);
  }

  private static ClassicHttpResponse anew(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClassicHttpRequest again = ClassicRequestBuilder.copy(request).build();
    ClassicHttpResponse answer = chain.proceed(request, scope);
    if (answer.getCode() != 401) {
      return answer;
    }
    EntityUtils.consume(answer.getEntity());
    answer.close();
    again.removeHeaders(KEY);
    again.setHeader("Authorization", "Basic x");
    return chain.proceed(again, scope);
  }

  private ClassicHttpRequest changed(ClassicHttpRequest request) {
    return switch (how) {
      case DROPS_KEY -> without(request);
      case MAKES_KEYS -> with(request, UUID.randomUUID().toString());
      case MAKES_POST -> as("POST", request);
      case MAKES_PUT -> as("PUT", request);
      default -> throw new AssertionError(how);
    };
  }

  private static ClassicHttpRequest without(ClassicHttpRequest request) {
    request.removeHeaders(KEY);
    return request;
  }

  private static ClassicHttpRequest with(ClassicHttpRequest request, String key) {
    request.setHeader(KEY, key);
    return request;
  }

  private static ClassicHttpRequest as(String method, ClassicHttpRequest request) {
    ClassicRequestBuilder made =
        ClassicRequestBuilder.create(method)
            .setHttpHost(
                new org.apache.hc.core5.http.HttpHost(request.getScheme(), request.getAuthority()))
            .setPath(request.getPath())
            .setEntity(request.getEntity());
    if (request.getEntity() == null) {
      made.setEntity(new ByteArrayEntity(new byte[] {1}, null));
    }
    for (org.apache.hc.core5.http.Header line : request.getHeaders()) {
      made.addHeader(line);
    }
    return made.build();
  }

  private static ClassicHttpResponse mapped(ClassicHttpResponse response) throws IOException {
    if (response.getCode() < 400) {
      return response;
    }
    response.close();
    throw usersOwn("HTTP " + response.getCode());
  }

  private static ClassicHttpResponse wrapped(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    try {
      return chain.proceed(request, scope);
    } catch (IOException failure) {
      throw usersOwn("backend: " + failure.getMessage());
    }
  }

  private static IOException usersOwn(String message) {
    return new IOException(message, new ScenarioOutcome.UserCodeException());
  }
}
