package dev.steadfast.retry.spring.boot;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Ends the start on a version of Boot that is too old, before a missing class does. Everything that
 * is used here is in Boot 3 as well.
 */
final class BootVersion {
  private static final int MAJOR = 4;
  private static final int MINOR = 1;

  private BootVersion() {}

  /** Whether the starter works with a version of Boot, such as 4.1.2. */
  static boolean isEnough(String version) {
    String[] parts = version.split("[.-]", 3);
    int major = Integer.parseInt(parts[0]);
    return major > MAJOR || (major == MAJOR && Integer.parseInt(parts[1]) >= MINOR);
  }

  /** Runs before any configuration is read. */
  static final class Check
      implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    @Override
    public void initialize(ConfigurableApplicationContext context) {
      String found = SpringBootVersion.getVersion();
      if (!isEnough(found)) {
        throw new StartRefused(
            "retry-spring-boot-starter needs Spring Boot %d.%d or newer, and this is Spring Boot %s"
                .formatted(MAJOR, MINOR, found),
            "Update Spring Boot, or use dev.steadfast:retry-spring, which works with the RestClient"
                + " and RestTemplate of Spring Framework 6.2 and 7 without the starter.");
      }
    }
  }
}
