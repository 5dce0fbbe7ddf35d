package dev.steadfast.retry.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** A response head as the rules see it, whatever the client. Implementations are immutable. */
public interface ResponseView {

  /**
   * The status.
   *
   * @return the code, 100 to 999
   */
  int status();

  /**
   * The values of a header.
   *
   * @param name the name, in any case
   * @return the values in order, empty if the header is absent
   */
  List<String> headers(String name);

  /**
   * All headers.
   *
   * @return an immutable map from name to values
   */
  Map<String, List<String>> headerMap();

  /**
   * Whether the name of any header matches. Called for every answer, so an implementation should
   * copy nothing. By default it goes through the names of {@link #headerMap}.
   *
   * @param name decides for one name, which may be in upper or lower case
   * @return true if one name matches
   */
  default boolean hasHeader(Predicate<String> name) {
    for (String each : headerMap().keySet()) {
      if (name.test(each)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The body, if the rules read it: {@link HttpClassifier#readsBodyOf}. The caller still gets all
   * of it.
   *
   * @return its text in UTF-8; empty if it was not read, is longer than 64 KiB, came too late or
   *     broke off, and by default
   */
  default Optional<String> bodyText() {
    return Optional.empty();
  }

  /**
   * Who answered, where the client tells: after a redirect it may be another than was asked. What
   * is shared by the operations to an origin learns nothing from an answer of unknown origin.
   *
   * @return the origin in the form of {@link RequestView#origin()}; empty by default: unknown
   */
  default Optional<String> origin() {
    return Optional.empty();
  }
}
