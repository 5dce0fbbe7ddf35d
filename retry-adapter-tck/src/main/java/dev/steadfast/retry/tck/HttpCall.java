package dev.steadfast.retry.tck;

import dev.steadfast.retry.http.RetryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A call in words that all clients share. Immutable.
 *
 * @param method the method
 * @param path path and query
 * @param headers field lines in order
 * @param body the body; {@link Body#NONE} for none
 * @param options what applies to this call alone
 */
public record HttpCall(
    String method,
    String path,
    List<Map.Entry<String, String>> headers,
    Body body,
    RetryOptions options) {

  /**
   * A request body.
   *
   * @param form what the caller says about it
   * @param text the body
   */
  public record Body(Form form, String text) {
    /** No body at all. */
    public static final Body NONE = new Body(Form.ABSENT, "");
  }

  /** The knowledge of a client about a body. */
  public enum Form {
    /** There is none. */
    ABSENT,
    /** It has a length and can be written any number of times. */
    REPEATABLE,
    /** Its length is not known, and it can be written once. */
    ONE_SHOT,
    /** Its length is not known. The caller says that it can be written any number of times. */
    UNKNOWN_LENGTH,
    /** As {@link #UNKNOWN_LENGTH}, but the second time there are other bytes of the same number. */
    CHANGING
  }

  static HttpCall of(String method, String path) {
    return new HttpCall(method, path, List.of(), Body.NONE, RetryOptions.none());
  }

  HttpCall body(Form form, String text) {
    return new HttpCall(method, path, headers, new Body(form, text), options);
  }

  HttpCall header(String name, String value) {
    List<Map.Entry<String, String>> more = new ArrayList<>(headers);
    more.add(Map.entry(name, value));
    return new HttpCall(method, path, List.copyOf(more), body, options);
  }

  HttpCall options(RetryOptions options) {
    return new HttpCall(method, path, headers, body, options);
  }
}
