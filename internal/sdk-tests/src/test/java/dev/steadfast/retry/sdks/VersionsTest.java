package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.util.Properties;
import okhttp3.OkHttp;
import org.junit.jupiter.api.Test;

final class VersionsTest {

  @Test
  void thePageNamesTheVersionsThatAreTried() throws Exception {
    Properties versions = new Properties();
    try (InputStream in = VersionsTest.class.getResourceAsStream("/versions.properties")) {
      versions.load(in);
    }
    versions.stringPropertyNames().stream()
        .forEach(sdk -> InsideSdks.VERSION.assertSays(sdk, versions.getProperty(sdk)));
  }

  @Test
  void theClassPathHasTheOkHttpThatIsMeant() {
    assertEquals(System.getProperty("steadfast.expectedOkHttp"), OkHttp.VERSION);
  }
}
