package dev.steadfast.retry.spring.boot;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Whether Apache HttpClient 5 retries by itself. A client does not show that, so its chain of
 * handlers is read from fields. A version with other fields counts as one without retries.
 */
final class OwnRetries {
  private static final String FACTORY =
      "org.springframework.http.client.HttpComponentsClientHttpRequestFactory";
  private static final String HANDLER = "HttpRequestRetryExec";
  private static final int MOST_HANDLERS = 100;

  private OwnRetries() {}

  /** Whether a sender of Spring's is an Apache HttpClient with retries of its own. */
  static boolean beneath(Object sender) {
    return sender.getClass().getName().equals(FACTORY) && Apache.retries(sender);
  }

  /** A class of its own, as HttpClient may not be there. */
  private static final class Apache {
    static boolean retries(Object sender) {
      Object client = ((HttpComponentsClientHttpRequestFactory) sender).getHttpClient();
      Object element = read(client, "execChain");
      for (int i = 0; element != null && i < MOST_HANDLERS; i++) {
        Object handler = read(element, "handler");
        if (handler != null && handler.getClass().getSimpleName().equals(HANDLER)) {
          return true;
        }
        element = read(element, "next");
      }
      return false;
    }
  }

  private static @Nullable Object read(Object of, String name) {
    Field field = ReflectionUtils.findField(of.getClass(), name);
    if (field == null) {
      return null;
    }
    try {
      ReflectionUtils.makeAccessible(field);
      return ReflectionUtils.getField(field, of);
    } catch (RuntimeException closed) { // by the module system
      return null;
    }
  }
}
