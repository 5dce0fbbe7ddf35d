package dev.steadfast.retry.apache5;

import java.io.IOException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.support.BasicRequestBuilder;

/** The callback of a user's handler. It passes all that it hears from the inner handlers on. */
class PassingCallback implements AsyncExecCallback {
  /** Sends each request twice, and drops the first answer. */
  static final AsyncExecChainHandler TWICE =
      (request, body, scope, chain, callback) ->
          twice(request, body, scope, scope, chain, callback);

  final AsyncExecCallback to;

  PassingCallback(AsyncExecCallback to) {
    this.to = to;
  }

  @Override
  public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails details)
      throws HttpException, IOException {
    return to.handleResponse(response, details);
  }

  @Override
  public void handleInformationResponse(HttpResponse response) throws HttpException, IOException {
    to.handleInformationResponse(response);
  }

  @Override
  public void completed() {
    to.completed();
  }

  @Override
  public void failed(Exception cause) {
    to.failed(cause);
  }

  /** Sends a request, drops its answer, and sends it again. */
  static void twice(
      HttpRequest request,
      AsyncEntityProducer body,
      AsyncExecChain.Scope first,
      AsyncExecChain.Scope second,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    chain.proceed(
        BasicRequestBuilder.copy(request).build(),
        body,
        first,
        new PassingCallback(callback) {
          @Override
          public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails details) {
            return null;
          }

          @Override
          public void completed() {
            first.execRuntime.releaseEndpoint();
            body.releaseResources();
            try {
              chain.proceed(request, body, second, callback);
            } catch (HttpException | IOException thrown) {
              callback.failed(thrown);
            }
          }
        });
  }
}
