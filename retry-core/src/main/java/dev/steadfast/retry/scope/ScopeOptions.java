package dev.steadfast.retry.scope;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.http.ScopeHeaders;
import dev.steadfast.retry.internal.Checks;

/** How scopes read inbound requests. Immutable and safe for use by many threads. */
public final class ScopeOptions {
  private static final ScopeOptions DEFAULTS = builder().build();

  private final ScopeHeaders headers;
  private final boolean trustInbound;
  private final RetryEnvironment environment;

  private ScopeOptions(Builder builder) {
    this.headers = builder.headers;
    this.trustInbound = builder.trustInbound;
    this.environment = builder.environment;
  }

  /**
   * The standard headers, and no trust in inbound keys.
   *
   * @return the shared instance
   */
  public static ScopeOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Starts with the defaults.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  ScopeHeaders headers() {
    return headers;
  }

  boolean trustInbound() {
    return trustInbound;
  }

  RetryEnvironment environment() {
    return environment;
  }

  @Override
  public String toString() {
    return "ScopeOptions(" + headers + "; trustInbound=" + trustInbound + ")";
  }

  /** Collects settings; not safe for use by several threads. */
  public static final class Builder {
    private ScopeHeaders headers = ScopeHeaders.standard();
    private boolean trustInbound;
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
     * Whether the key and the attempt number of an inbound request are read although no namespace
     * says whose they are. Default false, because an unknown caller could send any key. What only
     * restricts the operation is always read: not to retry, and the time that is left.
     *
     * @param trust true behind a gateway that lets only known callers through
     * @return this
     */
    public Builder trustInbound(boolean trust) {
      this.trustInbound = trust;
      return this;
    }

    /**
     * Whose monotonic time the deadline is measured with. Default: the system's.
     *
     * @param environment the environment
     * @return this
     */
    public Builder environment(RetryEnvironment environment) {
      this.environment = Checks.notNull("environment", environment);
      return this;
    }

    /**
     * The options.
     *
     * @return immutable options
     */
    public ScopeOptions build() {
      return new ScopeOptions(this);
    }
  }
}
