package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with a version of Boot that the starter is not made for. */
final class BootVersionTest {
  /** The application. */
  public static final class Program {
    private Program() {}

    /** What Boot tells of its end. */
    public static String told;

    public static void main(String[] properties) {
      Isolated.withoutTomcatsUrls();
      try (ConfigurableApplicationContext app =
          new SpringApplicationBuilder(App.Empty.class)
              .registerShutdownHook(false)
              .properties(properties)
              .run()) {
        told = "started " + app.isActive();
      } catch (Throwable ended) {
        FailureAnalysis analysis = Failures.take();
        told =
            analysis == null
                ? ended.toString()
                : analysis.getDescription() + " " + analysis.getAction();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"3.5.9", "4.0.3"})
  void tooOld(String version, @TempDir Path directory) throws Exception {
    assertEquals(
        "retry-spring-boot-starter needs Spring Boot 4.1 or newer, and this is Spring Boot "
            + version
            + ". Update Spring Boot, or use dev.steadfast:retry-spring, which works with the"
            + " RestClient and RestTemplate of Spring Framework 6.2 and 7 without the starter.",
        told(version, directory));
  }

  @ParameterizedTest
  @CsvSource({"4.1.0, true", "4.1.0-RC1, true", "4.10.2, true", "5.0.0-SNAPSHOT, true"})
  @CsvSource({"3.5.9, false", "4.0.11, false", "4.0.0-SNAPSHOT, false"})
  void whatIsEnough(String version, boolean enough) {
    assertEquals(enough, BootVersion.isEnough(version));
  }

  /** Starts the application without the parts of Boot that are new in version 4. */
  private static String told(String version, Path directory) throws Exception {
    Path source = directory.resolve("SpringBootVersion.java");
    Files.writeString(
        source,
        """
        package org.springframework.boot;
        public final class SpringBootVersion {
          public static String getVersion() { return "%s"; }
        }
        """
            .formatted(version));
    ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-d", directory.toString(), source.toString());
    List<URL> classPath = Isolated.classPath();
    classPath.removeIf(each -> each.getPath().matches(".*/spring-boot-(http-client|restclient).*"));
    classPath.add(0, directory.toUri().toURL());
    return Isolated.run(
        classPath,
        Program.class,
        "spring.main.banner-mode=off",
        "spring.main.web-application-type=none",
        "logging.level.root=off");
  }
}
