package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.CleanReport;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Reads the report that rides on an OkHttp response. */
public final class OkHttpReports {
  // Every response of ours with this status or above carries a report, so one without is not ours.
  private static final int FIRST_FAILURE = 400;

  private OkHttpReports() {}

  /**
   * A report on the request of the response that it belongs to.
   *
   * @param network what the network or the cache answered: copies of the response have the same,
   *     and the answer to a later call, made from the request of this one, has another
   */
  private record Tag(RetryReport report, @Nullable Response network) {}

  /**
   * The report of the operation that ended with this response. {@link RetryReport#of(Throwable)}
   * has the report of an exception.
   *
   * @param response a response of a retrying call
   * @return its report; where the first attempt was accepted, the report of one clean attempt. A
   *     response below 400 that another client has made cannot be told from that one.
   * @throws IllegalArgumentException if the status is 400 or above and the response carries no
   *     report: another client has made it, it answers an upgrade or a duplex body, which pass
   *     untouched, or an interceptor has put another request into it
   */
  public static RetryReport of(Response response) {
    Tag tag = response.request().tag(Tag.class);
    if (tag != null && tag.network() == source(response)) {
      return tag.report();
    }
    if (response.code() >= FIRST_FAILURE) {
      throw Checks.bad("response", response.code(), "one that a retrying call gave");
    }
    return CleanReport.of(operation(response));
  }

  private static @Nullable Response source(Response response) {
    Response network = response.networkResponse();
    return network == null ? response.cacheResponse() : network;
  }

  private static @Nullable OperationInfo operation(Response response) {
    Response network = response.networkResponse();
    return network == null ? null : network.request().tag(OperationInfo.class);
  }

  /** Whether a response without a report leads to its operation. */
  static boolean tells(Response response, OperationInfo operation) {
    return operation.equals(operation(response));
  }

  /** The request with a report for its response. */
  static Request tagged(Request request, Response response, RetryReport report) {
    return request.newBuilder().tag(Tag.class, new Tag(report, source(response))).build();
  }

  /**
   * The request without a report. One that is made from an earlier answer has that answer's, and a
   * client that polls so would keep all answers.
   */
  static Request untagged(Request request) {
    return request.tag(Tag.class) == null
        ? request
        : request.newBuilder().tag(Tag.class, null).build();
  }
}
