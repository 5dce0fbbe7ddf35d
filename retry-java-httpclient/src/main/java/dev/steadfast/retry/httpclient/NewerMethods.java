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
final class NewerMethods {
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

  private NewerMethods() {}

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
    if (LOCAL_ADDRESS == null) {
      throw new UnsupportedOperationException("localAddress: Java 19 or newer has it");
    }
    call(LOCAL_ADDRESS, builder, address);
  }

  static void close(HttpClient client) {
    call(CLOSE, client);
  }

  static void shutdown(HttpClient client) {
    call(SHUTDOWN, client);
  }

  static void shutdownNow(HttpClient client) {
    call(SHUTDOWN_NOW, client);
  }

  static boolean isTerminated(HttpClient client) {
    return Boolean.TRUE.equals(call(IS_TERMINATED, client));
  }

  static boolean awaitTermination(HttpClient client, Duration duration)
      throws InterruptedException {
    return Boolean.TRUE.equals(call(AWAIT_TERMINATION, client, duration));
  }

  @SuppressWarnings("unchecked") // the handle knows no type arguments
  static Optional<String> connectionLabel(HttpResponse<?> response) {
    Object label = call(CONNECTION_LABEL, response);
    return label == null ? Optional.empty() : (Optional<String>) label;
  }

  /** Calls a method, which throws what it throws; null on a Java without it. */
  private static @Nullable Object call(
      @Nullable MethodHandle method, @Nullable Object... arguments) {
    try {
      return method == null ? null : method.invokeWithArguments(arguments);
    } catch (Throwable thrown) {
      throw NewerMethods.<RuntimeException>asItIs(thrown);
    }
  }

  @SuppressWarnings("unchecked") // the compiler is told that nothing checked is thrown
  private static <E extends Throwable> RuntimeException asItIs(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
