package dev.steadfast.retry.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.effects.EffectResult.End;
import dev.steadfast.retry.effects.Entry.Setting;
import dev.steadfast.retry.effects.VersionedServer.Fault;
import dev.steadfast.retry.effects.VersionedServer.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many clients change one value at the same time while answers get lost. Each change that is told
 * to be applied is in the value once, and each that is told not to be applied is not in it.
 */
class ConcurrentUpdatesTest {
  private static final int CHANGES_EACH = 8;

  private static Plan[] faults(long seed) {
    Random random = new Random(seed);
    Fault[] kinds = {
      Fault.NONE, Fault.NONE, Fault.NONE, Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.UNAVAILABLE
    };
    return IntStream.range(0, 400)
        .mapToObj(i -> Plan.of(kinds[random.nextInt(kinds.length)]))
        .toArray(Plan[]::new);
  }

  /** The changes that are in a value. */
  private static List<String> changes(String value) {
    return Arrays.asList(value.split(" ", -1));
  }

  private static String own(String written) {
    return written.substring(written.lastIndexOf(' ') + 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyChange_isThereAsOftenAsItWasTold(long seed) throws Exception {
    Setting setting =
        Setting.USUAL
            .policy(
                Entry.AT_ONCE.toBuilder()
                    .maxAttempts(100)
                    .backoff(Backoff.fullJitter(Duration.ofMillis(1), Duration.ofMillis(8)))
                    .build())
            .ifLost((written, found) ->
                changes(found).contains(own(written)) ? Effect.SUCCEEDED : Effect.FAILED);
    ExecutorService threads = Executors.newCachedThreadPool();
    try (VersionedServer server = new VersionedServer("begin")) {
      server.plan(faults(seed));
      List<Future<Map<String, EffectResult<String>>>> clients = new ArrayList<>();
      for (Entry entry : Entry.values()) {
        clients.add(threads.submit(() -> changeOften(entry, server, setting)));
      }
      Map<String, EffectResult<String>> told = new TreeMap<>();
      for (Future<Map<String, EffectResult<String>>> each : clients) {
        told.putAll(each.get());
      }
      assertEquals(CHANGES_EACH * Entry.values().length, told.size());
      List<String> there = changes(server.value());
      told.forEach((id, result) -> assertTold(id, result, there));
      assertTrue(count(told, End.ALREADY_APPLIED) > 0, told::toString);
      assertTrue(server.writes().size() > told.size());
    } finally {
      threads.shutdownNow();
    }
  }

  private static Map<String, EffectResult<String>> changeOften(
      Entry entry, VersionedServer server, Setting setting) throws Exception {
    Map<String, EffectResult<String>> told = new TreeMap<>();
    for (int i = 0; i < CHANGES_EACH; i++) {
      String id = entry + "-" + i;
      told.put(id, entry.update(server.uri(), setting, each -> each + " " + id));
    }
    return told;
  }

  private static void assertTold(String id, EffectResult<String> result, List<String> there) {
    long times = there.stream().filter(id::equals).count();
    boolean asTold =
        switch (result.effect()) {
          case SUCCEEDED -> times == 1;
          case FAILED, NEVER_SENT -> times == 0;
          case UNKNOWN, ACCEPTED, OTHER_REQUEST -> times <= 1;
        };
    assertTrue(asTold, () -> id + " is there " + times + " times: " + result);
  }

  private static long count(Map<String, EffectResult<String>> told, End end) {
    return told.values().stream().filter(each -> each.end() == end).count();
  }
}
