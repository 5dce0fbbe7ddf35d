package dev.steadfast.retry.ordinary;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.jspecify.annotations.Nullable;

/**
 * An ordinary program: its server, its client, and what it does. Made by one thread and not changed
 * afterwards.
 */
public final class Row {
  private final String name;
  private final List<Declared> declared = new ArrayList<>();
  private final List<KnownDefect> defects = new ArrayList<>();
  private Supplier<? extends Server> server =
      () -> WireServer.start(exchange -> exchange.reply(200, "ok"));
  private Configuration<OkHttpClient.Builder> before = (builder, run) -> {};
  private Configuration<OkHttpClient.Builder> after = (builder, run) -> {};
  private Configuration<HttpClient.Builder> jdkBuilder = (builder, run) -> {};
  private Supplier<HttpClientBuilder> apacheFrom = HttpClientBuilder::create;
  private Configuration<HttpClientBuilder> apacheBefore = (builder, run) -> {};
  private Configuration<HttpClientBuilder> apacheAfter = (builder, run) -> {};
  private boolean ownRetries;
  private @Nullable Function<OkHttpClient, Call.Factory> calls;
  private UnaryOperator<HttpClient> jdkDecorator = UnaryOperator.identity();
  private Consumer<HttpRetry.Builder> retry = builder -> {};
  private @Nullable Program<? super OkClient> okHttp;
  private @Nullable Program<? super JdkClient> jdk;
  private @Nullable Program<? super ApacheClient> apache;
  private @Nullable Program<? super ApacheAsyncClient> apacheAsync;
  private Set<Entry.Way> ways = EnumSet.allOf(Entry.Way.class);
  private Set<Entry> entries = EnumSet.allOf(Entry.class);
  private Set<Policy> policies = EnumSet.of(Policy.DEFAULTS, Policy.KEYS);
  private boolean ordered = true;
  private boolean requests = true;
  private boolean events = true;
  private boolean slow;
  private @Nullable Setting only;

  private Row(String name) {
    this.name = name;
  }

  /** A difference on purpose. */
  record Declared(@Nullable String what, String why, List<Scope> where) {
    String section() {
      return what == null ? "anything" : what;
    }
  }

  /** A defect that waits for its mend. */
  record KnownDefect(String what, List<Scope> where) {}

  /** A row with a server that answers {@code 200}, and with no program yet. */
  public static Row named(String name) {
    return new Row(name);
  }

  /** Sets the server; each run has one of its own. */
  public Row server(Supplier<? extends Server> start) {
    server = start;
    return this;
  }

  /** Sets a server for HTTP/1.1 that answers so. */
  public Row answers(WireServer.Handler handler) {
    return server(() -> WireServer.start(handler));
  }

  /** Sets what all clients do. */
  public Row program(Program<? super Client> program) {
    okHttp = program;
    jdk = program;
    apache = program;
    apacheAsync = program;
    return this;
  }

  /** Sets what OkHttp does. */
  public Row okHttp(Program<? super OkClient> program) {
    okHttp = program;
    return this;
  }

  /** Sets what {@code java.net.http} does. */
  public Row jdk(Program<? super JdkClient> program) {
    jdk = program;
    return this;
  }

  /** Sets what Apache HttpClient does. */
  public Row apache(Program<? super ApacheClient> program) {
    apache = program;
    return this;
  }

  /** Sets what the asynchronous client of Apache HttpClient does. */
  public Row apacheAsync(Program<? super ApacheAsyncClient> program) {
    apacheAsync = program;
    return this;
  }

  /** Changes the builder of Apache HttpClient, before {@code Apache5Retry.addTo}. */
  public Row apacheClient(Configuration<HttpClientBuilder> change) {
    apacheBefore = change;
    return this;
  }

  /** Changes the builder of Apache HttpClient after {@code Apache5Retry.addTo}. */
  public Row apacheClientAfter(Configuration<HttpClientBuilder> change) {
    apacheAfter = change;
    return this;
  }

  /** Sets who makes the builder of Apache HttpClient, such as its module for caching. */
  public Row apacheFrom(Supplier<HttpClientBuilder> maker) {
    apacheFrom = maker;
    return this;
  }

  /** Leaves the plain Apache HttpClient its own retries, which no row for failures wants. */
  public Row withRetriesOfApache() {
    ownRetries = true;
    return this;
  }

  /** Changes the builder of OkHttp, before it is wrapped. */
  public Row okHttpClient(Configuration<OkHttpClient.Builder> change) {
    before = change;
    return this;
  }

  /** Changes the builder of OkHttp after {@code RetryInterceptor.addTo}. */
  public Row okHttpClientAfter(Configuration<OkHttpClient.Builder> change) {
    after = change;
    return this;
  }

  /** Changes the builder of {@code java.net.http}. */
  public Row jdkClient(Configuration<HttpClient.Builder> change) {
    jdkBuilder = change;
    return this;
  }

  /** Puts a factory around the client, as telemetry does; it is beneath the wrapped factory. */
  public Row okHttpCalls(Function<OkHttpClient, Call.Factory> factory) {
    calls = factory;
    return this;
  }

  /** Puts a client around the one of {@code java.net.http}; it is beneath the wrapped client. */
  public Row jdkDecorator(UnaryOperator<HttpClient> decorator) {
    jdkDecorator = decorator;
    return this;
  }

  /** Changes the configuration of the wrapped client. */
  public Row retry(Consumer<HttpRetry.Builder> change) {
    retry = change;
    return this;
  }

  /** Restricts the row to these methods of the clients. */
  public Row ways(Entry.Way first, Entry.Way... more) {
    ways = EnumSet.of(first, more);
    return this;
  }

  /** Restricts the row to these entry points: what it tests takes a client in one way. */
  public Row entries(Entry first, Entry... more) {
    entries = EnumSet.of(first, more);
    return this;
  }

  /** Sets the policies of the wrapped runs; the defaults, and these with keys, if not called. */
  public Row policies(Policy first, Policy... more) {
    policies = EnumSet.of(first, more);
    return this;
  }

  /** Compares requests as a set: the order of requests is not determined, nor connections. */
  public Row unordered() {
    ordered = false;
    return this;
  }

  /** Restricts the row to this version of the JDK or of OkHttp. */
  public Row only(Setting setting) {
    only = setting;
    return this;
  }

  /** Leaves out events: they come on several threads, in no certain order. */
  public Row withoutEvents() {
    events = false;
    return this;
  }

  /**
   * Leaves out what the server got: chance decides whether a call that fails at once is seen there,
   * with a plain client too.
   */
  public Row withoutServer() {
    requests = false;
    return this;
  }

  /** Leaves the row to the full matrix, because it takes long. */
  public Row slow() {
    slow = true;
    return this;
  }

  /**
   * Declares a difference on purpose.
   *
   * @param section the section of the observation that differs, such as {@code events}
   * @param why the difference as the page of the client has it in its list, but for marks
   * @param where the entry points, policies and settings that have it; none for all
   */
  public Row differs(String section, String why, Scope... where) {
    declared.add(new Declared(section, why, Arrays.asList(where)));
    return this;
  }

  /** As {@link #differs}, for a program that ends otherwise, which shows in most sections. */
  public Row endsOtherwise(String why, Scope... where) {
    declared.add(new Declared(null, why, Arrays.asList(where)));
    return this;
  }

  /**
   * Marks a defect that waits for its mend: the runs in its scope may differ, and at least one
   * must.
   *
   * @param what the defect in words
   * @param where the entry points, policies and settings that have it; none for all
   */
  public Row knownDefect(String what, Scope... where) {
    defects.add(new KnownDefect(what, Arrays.asList(where)));
    return this;
  }

  /** The name of the row. */
  public String name() {
    return name;
  }

  boolean isSlow() {
    return slow;
  }

  boolean hasEvents() {
    return events && ordered;
  }

  boolean hasRequests() {
    return requests;
  }

  boolean isOrdered() {
    return ordered;
  }

  List<Declared> declared() {
    return declared.stream().filter(each -> runs(each.where())).toList();
  }

  List<Declared> declared(Entry entry) {
    return declared.stream()
        .filter(each ->
            policies.stream().anyMatch(policy -> Scope.matches(each.where(), entry, policy)))
        .toList();
  }

  List<KnownDefect> defects() {
    return defects.stream().filter(each -> runs(each.where())).toList();
  }

  /** Whether a run of this row is within all of these scopes. */
  private boolean runs(List<Scope> where) {
    return entries().stream()
        .anyMatch(
            entry -> policies.stream().anyMatch(policy -> Scope.matches(where, entry, policy)));
  }

  Set<Policy> policies() {
    return policies;
  }

  List<Entry> entries() {
    if (only != null && !only.isHere()) {
      return List.of();
    }
    return entries.stream()
        .filter(each -> ways.contains(each.way()))
        .filter(each -> program(each.way().library()) != null)
        .filter(
            each -> // once is enough
            each.way().library() == Entry.Library.OKHTTP || Setting.OKHTTP_5.isHere())
        .toList();
  }

  Server start() {
    return server.get();
  }

  @Nullable Program<? super OkClient> okHttp() {
    return okHttp;
  }

  @Nullable Program<? super JdkClient> jdk() {
    return jdk;
  }

  @Nullable Program<? super ApacheClient> apache() {
    return apache;
  }

  @Nullable Program<? super ApacheAsyncClient> apacheAsync() {
    return apacheAsync;
  }

  private @Nullable Program<?> program(Entry.Library library) {
    return switch (library) {
      case OKHTTP -> okHttp;
      case JDK -> jdk;
      case APACHE -> apache;
      case APACHE_ASYNC -> apacheAsync;
    };
  }

  HttpClientBuilder apacheFrom() {
    return apacheFrom.get();
  }

  boolean hasRetriesOfApache() {
    return ownRetries;
  }

  void before(HttpClientBuilder builder, Run run) throws Exception {
    apacheBefore.apply(builder, run);
  }

  void after(HttpClientBuilder builder, Run run) throws Exception {
    apacheAfter.apply(builder, run);
  }

  void before(OkHttpClient.Builder builder, Run run) throws Exception {
    before.apply(builder, run);
  }

  void after(OkHttpClient.Builder builder, Run run) throws Exception {
    after.apply(builder, run);
  }

  void configure(HttpClient.Builder builder, Run run) throws Exception {
    jdkBuilder.apply(builder, run);
  }

  Call.Factory plain(OkHttpClient client) {
    return calls == null ? client : calls.apply(client);
  }

  Call.Factory wrapped(OkHttpClient client, Policy policy) {
    HttpRetry configuration = retry(policy);
    return calls == null
        ? RetryingCallFactory.wrap(client, configuration)
        : RetryingCallFactory.wrap(client, calls, configuration);
  }

  HttpClient decorated(HttpClient plain) {
    return jdkDecorator.apply(plain);
  }

  HttpRetry retry(Policy policy) {
    HttpRetry.Builder builder = policy.builder();
    retry.accept(builder);
    return builder.build();
  }
}
