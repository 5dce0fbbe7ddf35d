package dev.steadfast.retry.ai;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A job of 500 prompts through the SDKs of AI APIs, each with a server of its own: with the SDK's
 * own retries, and with Steadfast. Run by {@code mvn -q -Pai}.
 */
public final class Ai {
  private static final int PROMPTS = 500;
  private static final int THREADS = 32;
  private static final long SEED = 32;
  private static final double MEAN_TOKENS = 800;
  private static final double SIGMA = 0.8;
  private static final int MOST_TOKENS = 4_000;
  private static final Pattern COST = Pattern.compile("cost=([0-9]+);");

  private Ai() {}

  /** A client of an SDK. */
  interface Asker extends AutoCloseable {
    /** Asks one prompt; throws if there is no answer. */
    void ask(String prompt) throws Exception;

    /** Asks one prompt, and returns the text that comes as a stream; throws if it breaks off. */
    String stream(String prompt);

    @Override
    default void close() throws Exception {}
  }

  /** The preset, and the claim that an overload of this server means "not processed". */
  private static HttpRetry retry() {
    StandardRules rules = StandardRules.forAiApis().refusedBy(529, "overloaded_error").build();
    return HttpRetry.forAiApis(Duration.ofMinutes(5)).classifier(rules).build();
  }

  private static RetryOptions options() {
    return RetryOptions.builder().replayable(true).paidRepeats(5).cost(Ai::cost).build();
  }

  /** The cost of a prompt. Each one names its cost; an application counts or estimates tokens. */
  private static int cost(RequestView request) {
    String body =
        request.body(1 << 20).map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("");
    Matcher cost = COST.matcher(body);
    return cost.find() ? Integer.parseInt(cost.group(1)) : 1_000;
  }

  private static List<String> prompts() {
    Random random = new Random(SEED);
    List<String> prompts = new ArrayList<>();
    for (int i = 0; i < PROMPTS; i++) {
      double normal = SIGMA * random.nextGaussian() - SIGMA * SIGMA / 2;
      int tokens = (int) Math.min(MOST_TOKENS, Math.max(1, MEAN_TOKENS * Math.exp(normal)));
      prompts.add("prompt " + i + " cost=" + tokens + ";");
    }
    return prompts;
  }

  /**
   * Runs all SDKs at once, in both modes.
   *
   * @param args names of SDKs, all if there are none
   * @throws Exception if a run broke
   */
  public static void main(String[] args) throws Exception {
    System.out.println(
        "ai settings: HttpRetry.forAiApis(5 min), StandardRules.forAiApis()"
            + ".refusedBy(529, \"overloaded_error\"), "
            + options()
            + ", "
            + retry().policy());
    List<String> names = List.of(args);
    List<Callable<String>> runs = new ArrayList<>();
    for (Sdks sdk : Sdks.values()) {
      if (names.isEmpty() || names.contains(sdk.toString())) {
        runs.add(() -> run(sdk, false));
        runs.add(() -> run(sdk, true));
      }
    }
    ExecutorService pool = Executors.newFixedThreadPool(runs.size());
    try {
      for (Future<String> line : pool.invokeAll(runs)) {
        System.out.println(line.get());
      }
    } finally {
      pool.shutdownNow();
    }
    System.exit(0); // some SDKs leave threads
  }

  /** Tells why a prompt has no answer: each cause in one line. */
  private static void print(Sdks sdk, String prompt, Throwable failed) {
    StringBuilder line = new StringBuilder("ai failure client=" + sdk + ' ' + prompt);
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      line.append(" <- ").append(cause);
    }
    System.out.println(line);
  }

  private static String run(Sdks sdk, boolean steadfast) throws Exception {
    AtomicInteger answered = new AtomicInteger();
    try (AiServer server = new AiServer(sdk.dialect(), SEED);
        Asker asker =
            steadfast ? sdk.steadfast(server.url(), retry(), options()) : sdk.plain(server.url())) {
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      for (String prompt : prompts()) {
        threads.execute(() -> {
          try {
            asker.ask(prompt);
            answered.incrementAndGet();
          } catch (Throwable failed) {
            if (steadfast) {
              print(sdk, prompt, failed);
            }
          }
        });
      }
      threads.shutdown();
      threads.awaitTermination(4, java.util.concurrent.TimeUnit.MINUTES);
      threads.shutdownNow();
      AiServer.Seen seen = server.seen();
      return String.format(
          Locale.ROOT,
          "ai client=%s mode=%s answered=%d of %d rejected=%d billed=%d cut=%d sent-in-overload=%d"
              + " seconds=%.0f used=%.0f",
          sdk,
          steadfast ? "steadfast" : "sdk",
          answered.get(),
          PROMPTS,
          seen.rejected(),
          seen.billed(),
          seen.cut(),
          seen.sentInOverload(),
          seen.seconds(),
          seen.used() * 100);
    }
  }
}
