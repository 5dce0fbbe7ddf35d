package dev.steadfast.retry.scope;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.http.ScopeHeaders;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How scopes read inbound requests. Immutable and safe for use by many threads. */
public final class ScopeOptions {
  private static final ScopeOptions DEFAULTS = builder().build();

  private final ScopeHeaders headers;
  private final boolean trustInbound;
  private final long minimumDeadlineNanos;
  private final String service;
  private final @Nullable String operation;
  private final RetryEnvironment environment;

  private ScopeOptions(Builder builder) {
    this.headers = builder.headers;
    this.trustInbound = builder.trustInbound;
    this.minimumDeadlineNanos = builder.minimumDeadlineNanos;
    this.service = builder.service;
    this.operation = builder.operation;
    this.environment = builder.environment;
  }

  /** {@return the shared instance: the standard headers, and no trust in inbound keys} */
  public static ScopeOptions defaults() {
    return DEFAULTS;
  }

  /** {@return a builder that starts with the defaults} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The same options for one operation of the service, such as {@code POST /orders}. Keys derive
   * from it: two operations may be called with the same key. The filters of {@code retry-server}
   * set method and path. Default: none, and then asking for a derived key is an error.
   *
   * @param operation the same whenever the caller repeats its request; not empty
   * @return a changed copy
   * @throws IllegalArgumentException if the operation is empty or holds half a surrogate pair
   */
  public ScopeOptions withOperation(String operation) {
    Builder copy = new Builder();
    copy.headers = headers;
    copy.trustInbound = trustInbound;
    copy.minimumDeadlineNanos = minimumDeadlineNanos;
    copy.service = service;
    copy.operation = Checks.wellFormed("operation", Checks.notBlank("operation", operation));
    copy.environment = environment;
    return copy.build();
  }

  ScopeHeaders headers() {
    return headers;
  }

  boolean trustInbound() {
    return trustInbound;
  }

  long minimumDeadlineNanos() {
    return minimumDeadlineNanos;
  }

  String service() {
    return service;
  }

  @Nullable String operation() {
    return operation;
  }

  RetryEnvironment environment() {
    return environment;
  }

  @Override
  public String toString() {
    return "ScopeOptions("
        + headers
        + "; trustInbound="
        + trustInbound
        + "; minimumDeadline="
        + Durations.print(minimumDeadlineNanos)
        + "; service="
        + service
        + "; operation="
        + operation
        + ")";
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private ScopeHeaders headers = ScopeHeaders.standard();
    private boolean trustInbound;
    private long minimumDeadlineNanos;
    private String service = "";
    private @Nullable String operation;
    private RetryEnvironment environment = RetryEnvironment.system();

    private Builder() {}

    /**
     * The names of the headers. Default: {@link ScopeHeaders#standard()}.
     *
     * @param headers the names
     * @return this
     */
    public Builder headers(ScopeHeaders headers) {
      this.headers = Checks.notNull("headers", headers);
      return this;
    }

    /**
     * Whether the key and the attempt number of an inbound request are read although there is no
     * namespace, so that their owner is unknown. Default false, because an unknown caller could
     * send any key. Headers that only restrict the operation are always read: not to retry, and the
     * time that is left.
     *
     * @param trust true behind a gateway that lets only known callers through
     * @return this
     */
    public Builder trustInbound(boolean trust) {
      this.trustInbound = trust;
      return this;
    }

    /**
     * The shortest time that a request may leave for its work: one that leaves less is taken to
     * leave this much. It keeps callers from starting work that can only be cut off. Default: zero,
     * any time is accepted.
     *
     * @param minimum zero or more
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public Builder minimumDeadline(Duration minimum) {
      this.minimumDeadlineNanos = Durations.nanos(Checks.notNegative("minimumDeadline", minimum));
      return this;
    }

    /**
     * The name of this service, from which keys derive. Set it if several services derive keys for
     * the same principals, because a caller may send one key to two of them. Default: empty.
     *
     * @param service the same in all instances of the service
     * @return this
     * @throws IllegalArgumentException if it holds half a surrogate pair
     */
    public Builder service(String service) {
      this.service = Checks.wellFormed("service", service);
      return this;
    }

    /**
     * The clock with which the deadline is measured. Default: the system's.
     *
     * @param environment the environment
     * @return this
     */
    public Builder environment(RetryEnvironment environment) {
      this.environment = Checks.notNull("environment", environment);
      return this;
    }

    /** {@return immutable options} */
    public ScopeOptions build() {
      return new ScopeOptions(this);
    }
  }
}
