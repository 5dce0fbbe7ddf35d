package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.BufferedSink;
import org.junit.jupiter.api.Test;

/** What is the same request when an interceptor proceeds again, and what is another one. */
class SameRequestTest extends CallsAgain {
  private List<String> keysOf(Interceptor before) throws IOException {
    calls(before, keyed()).newCall(Calls.post(server)).execute().close();
    List<String> names = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    for (String key : keys()) {
      if (!seen.contains(key)) {
        seen.add(key);
      }
      names.add("k" + seen.indexOf(key));
    }
    return names;
  }

  @Test
  void anotherRequestOfTheCallIsAnotherOperation() throws Exception {
    Interceptor fetching =
        chain -> {
          Request token = other(chain.request(), "/token");
          chain.proceed(token).close();
          chain.proceed(chain.request()).close();
          chain.proceed(token).close();
          return chain.proceed(chain.request());
        };
    assertEquals(List.of("k0", "k1", "k0", "k1"), keysOf(fetching));
    assertEquals(2, rig.recorder.ended().size());
    assertEquals(
        List.of(
            "started POST",
            "attempt 1",
            "started POST",
            "attempt 1",
            "attempt 2",
            "attempt 2",
            "ended after 2",
            "ended after 2"),
        told);
  }

  @Test
  void anotherMethodIsAnotherRequest() throws Exception {
    Interceptor patching =
        chain -> {
          Request post = chain.request();
          chain.proceed(post).close();
          return chain.proceed(post.newBuilder().patch(Rig.BODY).build());
        };
    assertEquals(List.of("k0", "k1"), keysOf(patching));
  }

  @Test
  void aBodyOfTheSameBytesIsTheSame() throws Exception {
    RequestBody copy = RequestBody.create("charge 5", null);
    assertEquals(List.of("k0", "k0"), keysOf(secondWith(copy)));
  }

  @Test
  void aBodyOfOtherBytesIsAnotherRequest() throws Exception {
    RequestBody other = RequestBody.create("charge 6", null);
    assertEquals(List.of("k0", "k1"), keysOf(secondWith(other)));
  }

  /** It may be a stream that says nothing about it, and must be there when it is sent. */
  @Test
  void aBodyOfTheUsersOwnIsNotReadToCompareIt() throws Exception {
    RequestBody stream =
        new RequestBody() {
          private final Buffer left = new Buffer().writeUtf8("charge 5");

          @Override
          public MediaType contentType() {
            return null;
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(left);
          }
        };
    assertEquals(List.of("k0", "k1"), keysOf(secondWith(stream)));
    assertEquals("charge 5", server.requests().get(1).bodyText());
  }

  @Test
  void aLongBodyIsNotCompared() throws Exception {
    byte[] bytes = new byte[(1 << 20) + 1];
    Interceptor copying =
        chain -> {
          Request.Builder request = chain.request().newBuilder();
          chain.proceed(request.post(RequestBody.create(bytes, null)).build()).close();
          return chain.proceed(request.post(RequestBody.create(bytes, null)).build());
        };
    assertEquals(List.of("k0", "k1"), keysOf(copying));
  }

  private static Interceptor secondWith(RequestBody body) {
    return chain -> {
      chain.proceed(chain.request()).close();
      return chain.proceed(chain.request().newBuilder().post(body).build());
    };
  }

  /** A new request without the tags and headers of the first is the same all the same. */
  @Test
  void aRequestThatIsMadeAnewIsTheSame() throws Exception {
    Interceptor anew =
        chain -> {
          chain.proceed(chain.request()).close();
          return chain.proceed(Calls.post(server));
        };
    RetryOptions options = RetryOptions.builder().idempotencyKey("order-1").build();
    Request named = Calls.post(server).newBuilder().tag(RetryOptions.class, options).build();
    Request written = Calls.post(server).newBuilder().header("Idempotency-Key", "own").build();
    Call.Factory calls = calls(anew, told().build());
    calls.newCall(named).execute().close();
    calls.newCall(written).execute().close();
    assertEquals(List.of("order-1", "order-1", "own", "own"), keys());
  }

  @Test
  void aKeyOfItsOwnMakesAnotherOperation() throws Exception {
    Interceptor named =
        chain -> {
          chain.proceed(chain.request()).close();
          Request.Builder again = chain.request().newBuilder();
          chain.proceed(again.header("Idempotency-Key", "2").build()).close();
          RetryOptions third = RetryOptions.builder().idempotencyKey("3").build();
          again.removeHeader("Idempotency-Key").tag(RetryOptions.class, third);
          chain.proceed(again.build()).close();
          return chain.proceed(chain.request());
        };
    calls(named, keyed()).newCall(Calls.post(server)).execute().close();
    List<String> keys = keys();
    assertEquals(List.of("2", "3"), keys.subList(1, 3));
    assertEquals(keys.get(0), keys.get(3));
    assertEquals(3, rig.recorder.ended().size());
  }

  @Test
  void headersOfTheOperationStayTheSame_andCredentialsMayDiffer() throws Exception {
    List<Integer> made = new ArrayList<>();
    HttpRetry retry =
        rig.retry()
            .oncePerOperation(
                "X-First-Sent",
                (request, now) -> {
                  made.add(made.size());
                  return Optional.of("v" + made.size());
                })
            .build();
    server.enqueue(Reply.status(401), Reply.status(200));
    calls(CallsAgain::refreshing, retry).newCall(Calls.get(server)).execute().close();
    assertEquals(
        List.of("v1 old", "v1 new"),
        server.requests().stream()
            .map(each ->
                each.header("X-First-Sent").orElse("?")
                    + " "
                    + each.header("Authorization").orElse("?"))
            .toList());
  }
}
