package dev.steadfast.retry.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The public API of each shipped jar is what its {@code public-api.txt} lists, member by member: a
 * change of either shows in a review.
 */
class PublicApiTest {

  @ParameterizedTest
  @CsvSource({
    "retry-core, dev.steadfast.retry",
    "retry-resilience4j, dev.steadfast.retry.resilience4j",
    "retry-server, dev.steadfast.retry.server",
    "retry-operations, dev.steadfast.retry.operations",
    "retry-journal, dev.steadfast.retry.journal",
    "retry-journal-db-scheduler, dev.steadfast.retry.journal.dbscheduler",
    "retry-okhttp, dev.steadfast.retry.okhttp",
    "retry-java-httpclient, dev.steadfast.retry.httpclient",
    "retry-apache-httpclient5, dev.steadfast.retry.apache5",
    "retry-effects, dev.steadfast.retry.effects",
    "retry-testkit, dev.steadfast.retry.testkit",
    "retry-adapter-tck, dev.steadfast.retry.tck",
    "retry-micrometer, dev.steadfast.retry.micrometer",
    "retry-jfr, dev.steadfast.retry.jfr",
    "retry-opentelemetry, dev.steadfast.retry.opentelemetry",
    "retry-spring, dev.steadfast.retry.spring",
    "retry-spring-boot-starter, dev.steadfast.retry.spring.boot"
  })
  void isWhatTheListSays(String artifact, String module) throws IOException {
    Path list = Path.of("..", "..", artifact, "src", "test", "resources", "public-api.txt");
    String found = String.join("\n", PublicApi.of(ModulePath.module(module))) + "\n";
    Path actual = Path.of("target", "public-api", artifact + ".txt");
    Files.createDirectories(actual.getParent());
    Files.writeString(actual, found);
    String listed = Files.exists(list) ? Files.readString(list) : "";
    assertEquals(
        listed,
        found,
        () ->
            "if this change of the API is meant: cp "
                + actual.toAbsolutePath().normalize()
                + " "
                + list.toAbsolutePath().normalize());
  }

  @Test
  void theLines_showAllThatCallersDependOn() throws IOException {
    ModuleReference core = ModulePath.module("dev.steadfast.retry");
    List<String> lines = PublicApi.of(core);
    for (String expected :
        List.of(
            "public record dev.steadfast.retry.RetryEnvironment",
            "public interface dev.steadfast.retry.Backoff",
            "  public static dev.steadfast.retry.Backoff fixed(java.time.Duration)",
            "  public java.util.List<java.time.Duration> attemptTimeouts()")) {
      assertTrue(lines.stream().anyMatch(line -> line.equals(expected)), expected);
    }
    assertTrue(
        Stream.of("dev.steadfast.retry.internal.Checks", "dev.steadfast.retry.engine.Attempt ")
            .noneMatch(
                hidden -> lines.stream().anyMatch(line -> line.contains(" class " + hidden))));
  }
}
