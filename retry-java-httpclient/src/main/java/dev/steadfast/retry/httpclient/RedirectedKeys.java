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
 * A key belongs to one server, and what a scope imposes is for the origins that are named; {@code
 * java.net.http} carries all headers along when it follows a redirect to another one: refused, or
 * warned about once per client, however often that is wrapped.
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

  /** Called where headers are added, or may be, that are for one server. */
  void check(boolean bound) {
    if (!bound || client.followRedirects() == HttpClient.Redirect.NEVER) {
      return;
    }
    if (refused) {
      throw Checks.bad(
          "followRedirects",
          client.followRedirects(),
          "NEVER, as a redirect would carry idempotency keys and the headers of propagateTo to"
              + " other origins");
    }
    if (checked.compareAndSet(false, true) && WARNED_ABOUT.add(client)) {
      log.warn(
          "this HttpClient follows redirects and would carry idempotency keys and the headers of"
              + " propagateTo to other origins: have it follow none"
              + " (HttpClient.Builder.followRedirects(NEVER), or in Spring Boot the property"
              + " spring.http.clients.redirects=dont-follow), or refuse it by"
              + " refuseRedirectedKeys(true)");
    }
  }
}
