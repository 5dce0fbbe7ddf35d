package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.Checks;
import java.net.http.HttpClient;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a client that follows redirects, or warns of it once, however often it is wrapped. A key
 * belongs to one server, and the headers of a scope to the origins that are named, but {@code
 * java.net.http} carries all headers along to any origin.
 */
final class RedirectedKeys {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private static final Set<HttpClient> WARNED_ABOUT =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final HttpClient client;
  private final boolean refused;
  private final Logger log;
  private final AtomicBoolean checked = new AtomicBoolean();

  RedirectedKeys(HttpClient client, HttpRetry retry) {
    this(client, retry, LOG);
  }

  RedirectedKeys(HttpClient client, HttpRetry retry, Logger log) {
    this.client = client;
    this.refused = retry.refuseRedirectedKeys();
    this.log = log;
    check(retry.idempotencyKeys().isPresent());
  }

  /** Checks the client if it sends headers that are for one server, or may send some. */
  void check(boolean bound) {
    if (!bound || client.followRedirects() == HttpClient.Redirect.NEVER) {
      return;
    }
    if (refused) {
      throw Checks.bad(
          "followRedirects",
          client.followRedirects(),
          "NEVER, as a redirect would carry idempotency keys and the headers of a propagation to"
              + " other origins");
    }
    if (checked.compareAndSet(false, true) && WARNED_ABOUT.add(client)) {
      log.warn(
          "this HttpClient follows redirects and would carry idempotency keys and the headers of"
              + " a propagation to other origins: have it follow none"
              + " (HttpClient.Builder.followRedirects(NEVER), or in Spring Boot the property"
              + " spring.http.clients.redirects=dont-follow), or refuse it by"
              + " refuseRedirectedKeys(true)");
    }
  }
}
