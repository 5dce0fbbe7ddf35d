package dev.steadfast.retry.jmh;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Collection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Calls each benchmark once, in this process: a peer that cannot be set up any more is noticed. */
class SmokeTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BackoffBenchmark",
        "EngineBenchmark",
        "BudgetBenchmark",
        "TelemetryBenchmark",
        "OkHttpBenchmark",
        "JdkClientBenchmark",
        "Apache5Benchmark",
        "SlotsBenchmark",
        "WaitingBenchmark"
      })
  void everyBenchmarkRuns(String benchmarks) throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include("\\." + benchmarks + "\\.")
                    .exclude(Runtime.version().feature() < 21 ? "virtualThreads" : "^$")
                    .mode(Mode.SingleShotTime)
                    .param("calls", "6")
                    .param("waitMillis", "1")
                    .param("waiting", "50")
                    .param("wakeMillis", "1")
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();
    assertFalse(results.isEmpty());
  }
}
