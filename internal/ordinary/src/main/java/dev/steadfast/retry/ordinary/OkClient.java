package dev.steadfast.retry.ordinary;

import dev.steadfast.retry.ordinary.Entry.Way;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** OkHttp, plain or wrapped. */
public final class OkClient implements Client {
  private final Run run;
  private final OkHttpClient client;
  private final Call.Factory calls;

  OkClient(Run run, OkHttpClient client, Call.Factory calls) {
    this.run = run;
    this.client = client;
    this.calls = calls;
  }

  @Override
  public Run run() {
    return run;
  }

  /** What a program makes its calls with. */
  public Call.Factory calls() {
    return calls;
  }

  /** The client that sends: for its dispatcher, cache and pool, and for web sockets. */
  public OkHttpClient client() {
    return client;
  }

  /** The same run, with a factory of the program's around that of its calls. */
  public OkClient through(UnaryOperator<Call.Factory> decorator) {
    return new OkClient(run, client, decorator.apply(calls));
  }

  /** A request to the server. */
  public Request.Builder request(String path) {
    return new Request.Builder().url(run.uri(path).toString());
  }

  @Override
  public void send(String method, String path, String body, String... headers) throws IOException {
    Request.Builder request = request(path);
    MediaType type = null;
    for (String header : headers) {
      String[] parts = header.split(": ", 2);
      if (parts[0].equalsIgnoreCase("Content-Type")) {
        type = MediaType.get(parts[1]);
      } else {
        request.addHeader(parts[0], parts[1]);
      }
    }
    boolean without = method.equals("GET") || method.equals("HEAD");
    boolean none = without || (body.isEmpty() && method.equals("DELETE"));
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    call(request.method(method, none ? null : RequestBody.create(bytes, type)).build());
  }

  /** Makes a call by the way of this run, reads the answer and notes all of it. */
  public void call(Request request) throws IOException {
    call(calls.newCall(request));
  }

  /** Executes or enqueues a call, reads the answer and notes all of it. */
  public void call(Call call) throws IOException {
    if (run.way() == Way.EXECUTE) {
      execute(call);
    } else {
      await(enqueue(call));
    }
  }

  private void execute(Call call) {
    try (Response response = call.execute()) {
      answered(call, response);
    } catch (IOException | RuntimeException | Error e) {
      run.note("result", "failed: " + Text.of(e));
    }
  }

  /** Enqueues a call; the event is its callback, with the body read. */
  public CountDownLatch enqueue(Call call) {
    CountDownLatch done = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    try {
      call.enqueue(
          new Callback() {
            @Override
            public void onResponse(Call made, Response response) {
              run.note("callbacks", "onResponse on " + kind(caller) + sameCall(made));
              try (response) {
                answered(call, response);
              } finally {
                done.countDown();
              }
            }

            @Override
            public void onFailure(Call made, IOException e) {
              run.note("callbacks", "onFailure on " + kind(caller) + sameCall(made));
              run.note("result", "failed: " + Text.of(e));
              done.countDown();
            }

            private String sameCall(Call made) {
              return call.equals(made) ? "" : ", with another call";
            }
          });
    } catch (RuntimeException e) {
      run.note("result", "enqueue threw " + Text.of(e));
      done.countDown();
    }
    return done;
  }

  private static String kind(Thread caller) {
    return Text.kind(Thread.currentThread(), caller);
  }

  /** Waits for a callback. */
  public static void await(CountDownLatch done) throws IOException {
    try {
      Run.await(done);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private void answered(Call call, Response response) {
    head(response);
    run.note("call", "executed " + call.isExecuted() + ", cancelled " + call.isCanceled());
    try {
      run.note("result", "body: " + Text.of(response.body().byteStream()));
      run.note("trailers", response.trailers().toString().strip());
    } catch (IOException | RuntimeException e) {
      run.note("result", "reading failed: " + Text.of(e));
    }
  }

  /** Notes all of an answer but its body. */
  public void head(Response response) {
    run.note("result", response.protocol() + " " + response.code() + " " + response.message());
    response
        .headers()
        .forEach(each -> run.note("result", each.getFirst() + ": " + each.getSecond()));
    Request request = response.request();
    run.note("result", "of " + request.method() + " " + request.url());
    request
        .headers()
        .forEach(
            each -> run.note("request of the answer", each.getFirst() + ": " + each.getSecond()));
    RequestBody body = request.body();
    run.note("request of the answer", "body: " + (body == null ? "none" : kind(body)));
    run.note("result", "from the network: " + (response.networkResponse() != null));
    run.note("result", "from the cache: " + (response.cacheResponse() != null));
    run.note("result", "handshake: " + (response.handshake() != null));
    run.note("result", "content length: " + response.body().contentLength());
    for (Response each = response.priorResponse(); each != null; each = each.priorResponse()) {
      Request before = each.request();
      run.note("result", "after " + each.code() + " of " + before.method() + " " + before.url());
    }
  }

  /** The class of a body, without names that a compiler makes. */
  public static String kind(RequestBody body) {
    String name = body.getClass().getName();
    return name.toLowerCase(Locale.ROOT).startsWith("okhttp3.requestbody") ? "of OkHttp" : name;
  }
}
