package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Passes data between a single request of {@code RestClient} and the request factory beneath. The
 * data travels as a request attribute, and never over the wire.
 *
 * <pre>{@code
 * restClient.post().uri("/payments")
 *     .attributes(RetryAttributes.options(options))
 *     .attributes(RetryAttributes.report(report -> log.info("{}", report)))
 *     .body(payment).retrieve().toBodilessEntity();
 * }</pre>
 */
public final class RetryAttributes {
  private static final String OPTIONS = RetryOptions.class.getName();
  private static final String REPORT = RetryReport.class.getName();

  private RetryAttributes() {}

  /**
   * Options for one request.
   *
   * @param options the options of this request alone
   * @return an argument for {@code RestClient.RequestHeadersSpec.attributes}
   */
  public static Consumer<Map<String, Object>> options(RetryOptions options) {
    Checks.notNull("options", options);
    return attributes -> attributes.put(OPTIONS, options);
  }

  /**
   * Hands out the report of one request. A status of 400 or above, of which Spring makes an
   * exception of its own, has one too.
   *
   * @param reports called once on the thread of the request, when its answer or failure is there
   *     and before Spring handles it; not called if the request never began. Its exceptions go to
   *     the caller
   * @return an argument for {@code RestClient.RequestHeadersSpec.attributes}
   */
  public static Consumer<Map<String, Object>> report(Consumer<RetryReport> reports) {
    Checks.notNull("reports", reports);
    return attributes -> attributes.put(REPORT, reports);
  }

  static RetryOptions optionsIn(Map<String, Object> attributes) {
    return attributes.get(OPTIONS) instanceof RetryOptions options ? options : RetryOptions.none();
  }

  @SuppressWarnings("unchecked") // only report() puts it there
  static Consumer<RetryReport> reportsIn(Map<String, Object> attributes) {
    Object found = attributes.get(REPORT);
    return found == null ? report -> {} : (Consumer<RetryReport>) found;
  }
}
