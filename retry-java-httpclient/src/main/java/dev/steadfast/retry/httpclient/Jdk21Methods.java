package dev.steadfast.retry.httpclient;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Methods of {@code java.net.http} that came after Java 17, resolved once. */
final class Jdk21Methods {
  // Java 19
  private static final @Nullable MethodHandle LOCAL_ADDRESS =
      find(
          HttpClient.Builder.class,
          "localAddress",
          MethodType.methodType(HttpClient.Builder.class, InetAddress.class));
  // Java 21
  private static final @Nullable MethodHandle CLOSE =
      find(HttpClient.class, "close", MethodType.methodType(void.class));
  private static final @Nullable MethodHandle SHUTDOWN =
      find(HttpClient.class, "shutdown", MethodType.methodType(void.class));
  private static final @Nullable MethodHandle SHUTDOWN_NOW =
      find(HttpClient.class, "shutdownNow", MethodType.methodType(void.class));
  private static final @Nullable MethodHandle AWAIT_TERMINATION =
      find(
          HttpClient.class,
          "awaitTermination",
          MethodType.methodType(boolean.class, Duration.class));
  private static final @Nullable MethodHandle IS_TERMINATED =
      find(HttpClient.class, "isTerminated", MethodType.methodType(boolean.class));
  // Java 25
  private static final @Nullable MethodHandle CONNECTION_LABEL =
      find(HttpResponse.class, "connectionLabel", MethodType.methodType(Optional.class));

  private Jdk21Methods() {}

  private static @Nullable MethodHandle find(Class<?> type, String name, MethodType method) {
    try {
      return MethodHandles.publicLookup().findVirtual(type, name, method);
    } catch (NoSuchMethodException olderJdk) {
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(type + "." + name + " is public", e);
    }
  }

  /**
   * Sets the address that sockets are bound to.
   *
   * @throws UnsupportedOperationException on a Java without this setting
   */
  static void localAddress(HttpClient.Builder builder, @Nullable InetAddress address) {
    MethodHandle method = LOCAL_ADDRESS;
    if (method == null) {
      throw new UnsupportedOperationException("localAddress: Java 19 or newer has it");
    }
    try {
      HttpClient.Builder unused = (HttpClient.Builder) method.invokeExact(builder, address);
    } catch (Throwable thrown) {
      throw unchecked(thrown);
    }
  }

  static void close(HttpClient client) {
    run(CLOSE, client);
  }

  static void shutdown(HttpClient client) {
    run(SHUTDOWN, client);
  }

  static void shutdownNow(HttpClient client) {
    run(SHUTDOWN_NOW, client);
  }

  static boolean isTerminated(HttpClient client) {
    MethodHandle method = IS_TERMINATED;
    try {
      return method != null && (boolean) method.invokeExact(client);
    } catch (Throwable thrown) {
      throw unchecked(thrown);
    }
  }

  static boolean awaitTermination(HttpClient client, Duration duration)
      throws InterruptedException {
    MethodHandle method = AWAIT_TERMINATION;
    try {
      return method != null && (boolean) method.invokeExact(client, duration);
    } catch (InterruptedException interrupted) {
      throw interrupted;
    } catch (Throwable thrown) {
      throw unchecked(thrown);
    }
  }

  @SuppressWarnings("unchecked") // the return type is erased in the handle
  static Optional<String> connectionLabel(HttpResponse<?> response) {
    MethodHandle method = CONNECTION_LABEL;
    try {
      return method == null
          ? Optional.empty()
          : (Optional<String>) (Optional<?>) method.invokeExact(response);
    } catch (Throwable thrown) {
      throw unchecked(thrown);
    }
  }

  private static void run(@Nullable MethodHandle method, HttpClient client) {
    try {
      if (method != null) {
        method.invokeExact(client);
      }
    } catch (Throwable thrown) {
      throw unchecked(thrown);
    }
  }

  // None of these methods declares a checked exception, except the one that is caught above.
  private static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException known ? known : new IllegalStateException(thrown);
  }
}
