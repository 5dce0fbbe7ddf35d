package dev.steadfast.retry.ordinary;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.jspecify.annotations.Nullable;

/** Runs a row once: with a server, a client and an observation of its own. */
final class RowRun {
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final Row row;
  private final Entry entry;
  private final @Nullable Policy policy;

  /** With a policy for a wrapped client, without one for the plain client. */
  RowRun(Row row, Entry entry, @Nullable Policy policy) {
    this.row = row;
    this.entry = entry;
    this.policy = policy;
  }

  /** What was seen, and how long it took. */
  record Seen(Observation observation, long nanos) {}

  Seen seen() throws Exception {
    Observation seen = new Observation();
    try (Server server = row.start()) {
      server.nameIn(seen);
      Run run = new Run(entry, policy != null, server, seen);
      long start = System.nanoTime();
      switch (entry.way().library()) {
        case OKHTTP -> okHttp(run);
        case JDK -> jdk(run);
        case APACHE -> apache(run);
        case APACHE_ASYNC -> apacheAsync(run);
      }
      long nanos = System.nanoTime() - start;
      server.settle();
      if (row.hasRequests()) {
        server.report(seen, row.isOrdered());
      }
      seen.sort("uncaught"); // threads note it when they end
      if (!row.isOrdered()) {
        seen.sections().forEach(seen::sort);
      }
      return new Seen(seen, nanos);
    }
  }

  private void okHttp(Run run) throws Exception {
    OkHttpClient.Builder builder = new OkHttpClient.Builder();
    if (row.hasEvents()) {
      builder.eventListener(new EventNames(run.seen()));
    }
    builder.dispatcher(new Dispatcher(threads(run)));
    row.before(builder, run);
    if (policy != null && entry.interceptor()) {
      RetryInterceptor.addTo(builder, row.retry(policy));
    }
    row.after(builder, run);
    OkHttpClient client = builder.build();
    try {
      Call.Factory calls =
          policy == null || entry.interceptor() ? row.plain(client) : row.wrapped(client, policy);
      use(new OkClient(run, client, calls), Objects.requireNonNull(row.okHttp()), run);
    } finally {
      ExecutorService executor = client.dispatcher().executorService();
      executor.shutdown();
      if (!executor.awaitTermination(10, TimeUnit.SECONDS)) {
        run.note("result", "calls are still running");
      }
      client.connectionPool().evictAll();
    }
  }

  /** As OkHttp's own, and notes what escapes from a call. */
  private static ExecutorService threads(Run run) {
    return new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new SynchronousQueue<>(), RowRun::thread) {
      @Override
      protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
        if (thrown != null) {
          run.note("uncaught", Text.of(thrown));
        }
      }
    };
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "OkHttp Dispatcher");
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((of, thrown) -> {}); // noted by then
    return thread;
  }

  private void jdk(Run run) throws Exception {
    HttpClient.Builder builder = HttpClient.newBuilder();
    row.configure(builder, run);
    HttpClient plain = row.decorated(builder.build());
    HttpClient http = policy == null ? plain : RetryingHttpClient.wrap(plain, row.retry(policy));
    use(new JdkClient(run, http), Objects.requireNonNull(row.jdk()), run);
  }

  private void apache(Run run) throws Exception {
    PoolingHttpClientConnectionManager pool = ApacheClient.newPool();
    HttpClientBuilder builder = row.apacheFrom().setConnectionManager(pool);
    row.before(builder, run);
    if (policy != null) {
      Apache5Retry.addTo(builder, row.retry(policy));
    } else if (!row.hasRetriesOfApache()) {
      builder.disableAutomaticRetries();
    }
    row.after(builder, run);
    try (CloseableHttpClient http = builder.build()) {
      use(new ApacheClient(run, http, pool), Objects.requireNonNull(row.apache()), run);
      run.note("pool", row.isOrdered() ? pool.getTotalStats() : pool.getTotalStats().getLeased());
    }
  }

  private void apacheAsync(Run run) throws Exception {
    PoolingAsyncClientConnectionManager pool = ApacheAsyncClient.newPool();
    HttpAsyncClientBuilder builder = HttpAsyncClientBuilder.create().setConnectionManager(pool);
    if (policy == null) {
      builder.disableAutomaticRetries();
    } else {
      Apache5Retry.addTo(builder, row.retry(policy));
    }
    try (CloseableHttpAsyncClient http = builder.build()) {
      http.start();
      ApacheAsyncClient client = new ApacheAsyncClient(run, http, pool);
      use(client, Objects.requireNonNull(row.apacheAsync()), run);
      client.awaitReleased();
      run.note("pool", pool.getTotalStats().getLeased());
    }
  }

  /** On a thread of its own, so that a program that hangs is seen and left behind. */
  private static <C> void use(C client, Program<? super C> program, Run run)
      throws InterruptedException {
    Thread caller =
        new Thread(
            () -> {
              try {
                program.run(client);
              } catch (Exception | Error e) {
                run.note("result", "the program failed: " + Text.of(e));
              }
            },
            "the caller's thread");
    caller.setDaemon(true);
    caller.start();
    caller.join(LIMIT.toMillis());
    if (caller.isAlive()) {
      run.note("result", "the program hangs");
    }
  }
}
