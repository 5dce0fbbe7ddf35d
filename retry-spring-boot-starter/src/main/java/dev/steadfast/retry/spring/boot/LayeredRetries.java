package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.OperationInfo;
import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that a retry of Spring's is around a client that retries, so that attempts multiply. It
 * looks at the stack of the thread on which an operation has failed after several attempts, once
 * for each place in the application that calls. A call that goes on elsewhere is not seen: {@code
 * sendAsync} and {@code WebClient}. Thread-safe.
 */
final class LayeredRetries {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final int MOST_PLACES = 1000;

  private static final List<String> RETRYING =
      List.of(
          "org.springframework.core.retry.", // RetryTemplate, and what @Retryable uses
          "org.springframework.resilience.retry.",
          "org.springframework.retry."); // the project before Framework 7
  private static final List<String> NO_APPLICATION =
      List.of(
          "dev.steadfast.retry.",
          "org.springframework.",
          "okhttp3.",
          "kotlin.",
          "java.",
          "jdk.",
          "sun.");

  private final Set<String> places = ConcurrentHashMap.newKeySet();

  /** Looks at the stack of the calling thread, and warns. */
  void look(String client, OperationInfo operation) {
    String found = StackWalker.getInstance().walk(this::layerOfNewPlace);
    if (found != null) {
      LOG.warn(
          "{}: client {} retries by itself, and was called within {}. The attempts of both multiply:"
              + " take one of them away (said once per place)",
          operation,
          client,
          found);
    }
  }

  private @Nullable String layerOfNewPlace(Stream<StackFrame> stack) {
    String layer = null;
    Iterator<StackFrame> frames = stack.iterator();
    while (frames.hasNext()) {
      StackFrame frame = frames.next();
      String type = frame.getClassName();
      if (layer == null && RETRYING.stream().anyMatch(type::startsWith)) {
        layer = type;
      }
      if (isPlace(type)) {
        return isNew(frame) ? rest(layer, frames, frame) : null;
      }
    }
    return null;
  }

  // A proxy of the application's class has that class's name as its beginning.
  private static boolean isPlace(String type) {
    return NO_APPLICATION.stream().noneMatch(type::startsWith)
        && !type.contains("$Proxy")
        && !type.contains("$$");
  }

  private boolean isNew(StackFrame frame) {
    String place = frame.getClassName() + "." + frame.getMethodName();
    return places.size() < MOST_PLACES && places.add(place);
  }

  private static @Nullable String rest(
      @Nullable String layer, Iterator<StackFrame> above, StackFrame place) {
    String found = layer;
    while (found == null && above.hasNext()) {
      String type = above.next().getClassName();
      if (RETRYING.stream().anyMatch(type::startsWith)) {
        found = type;
      }
    }
    return found == null
        ? null
        : found + " by " + place.getClassName() + "." + place.getMethodName();
  }
}
