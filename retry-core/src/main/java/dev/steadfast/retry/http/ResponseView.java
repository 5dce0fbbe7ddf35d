package dev.steadfast.retry.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** A response head as the rules see it, whatever the client. Implementations are immutable. */
public interface ResponseView {

  /** {@return the status, 100 to 999} */
  int status();

  /**
   * The values of a header.
   *
   * @param name the name, in any case
   * @return the values in order, empty if the header is absent
   */
  List<String> headers(String name);

  /** {@return all headers: an immutable map from name to values} */
  Map<String, List<String>> headerMap();

  /**
   * Whether the name of any header matches. Called for every answer, so an implementation should
   * copy nothing. Unless overridden, it goes through the names of {@link #headerMap}.
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
   * {@return the text of the body in UTF-8, if the rules read it: {@link
   * HttpClassifier#readsBodyOf}; empty if it was not read, is longer than 64 KiB, came too late or
   * broke off, and by default} The caller still gets all of it.
   */
  default Optional<String> bodyText() {
    return Optional.empty();
  }

  /**
   * {@return the data of the first event of an event stream, if that is an error, and if the rules
   * wait for the first event: {@link HttpClassifier#readsBodyOf} has the status 200; empty by
   * default} The caller still gets all of the stream.
   */
  default Optional<String> errorEvent() {
    return Optional.empty();
  }

  /**
   * {@return the origin that answered, in the form of {@link RequestView#origin()}, where the
   * client tells: after a redirect it may be another than was asked; empty by default: unknown}
   * Budgets, gates and guards of an origin learn nothing from an answer of unknown origin.
   */
  default Optional<String> origin() {
    return Optional.empty();
  }
}
