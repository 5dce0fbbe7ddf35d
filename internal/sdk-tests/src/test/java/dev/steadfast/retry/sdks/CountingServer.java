package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.util.List;

/** A server that counts requests and keys, and a configuration in which waits take no real time. */
final class CountingServer implements AutoCloseable {
  private final FakeTime time = new FakeTime();
  private final ScriptedServer server = ScriptedServer.start();

  /** The defaults, so three attempts, and a random key on each POST. */
  HttpRetry retry() {
    return HttpRetry.builder()
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .environment(time.environment())
        .listener(time.skipWaits())
        .build();
  }

  /** The address, without a slash at its end. */
  String url() {
    String url = server.uri("/").toString();
    return url.substring(0, url.length() - 1);
  }

  /** Answers twice with 503, and then with this. */
  void recovers(String json) {
    recovers(
        Reply.status(200).header("Content-Type", "application/json; charset=utf-8").body(json));
  }

  /** Answers twice with 503, and then so. */
  void recovers(Reply reply) {
    server.enqueue(Reply.status(503), Reply.status(503));
    server.defaultReply(reply);
  }

  /** Answers each request with 503. */
  void isDown() {
    answers(Reply.status(503));
  }

  void answers(Reply reply) {
    server.defaultReply(reply);
  }

  /**
   * Checks how many requests came, and with how many different keys, and that the page says the
   * same.
   */
  void assertAlone(String sdk, int requests, int keys) {
    assertCounted(requests, keys);
    InsideSdks.assertSays(sdk, "Steadfast alone", cell(requests, keys));
  }

  /** As {@link #assertAlone}, if the SDK retries as well. */
  void assertBoth(String sdk, int requests, int keys) {
    assertCounted(requests, keys);
    InsideSdks.assertSays(sdk, "both retry", cell(requests, keys));
  }

  /**
   * Checks how many requests came, and with how many different keys: each has one key, or none has
   * any.
   */
  void assertCounted(int requests, int keys) {
    List<List<String>> sent =
        requests().stream().map(each -> each.headerValues("Idempotency-Key")).toList();
    assertEquals(requests, sent.size(), "requests");
    int lines = keys == 0 ? 0 : 1;
    sent.forEach(each -> assertEquals(lines, each.size(), "key lines of a request"));
    assertEquals(keys, sent.stream().flatMap(List::stream).distinct().count(), "different keys");
  }

  private static String cell(int requests, int keys) {
    return switch (keys) {
      case 0 -> requests + ", no key";
      case 1 -> requests + ", 1 key";
      default -> requests + ", " + keys + " keys";
    };
  }

  List<Received> requests() {
    return server.requests();
  }

  @Override
  public void close() {
    server.close();
  }
}
