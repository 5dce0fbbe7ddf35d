package dev.steadfast.retry.sdks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.util.Properties;
import okhttp3.OkHttp;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;

final class VersionsTest {

  @Test
  void thePageNamesTheVersionsThatAreTried() throws Exception {
    Properties versions = new Properties();
    try (InputStream in = VersionsTest.class.getResourceAsStream("/versions.properties")) {
      versions.load(in);
    }
    versions
        .stringPropertyNames()
        .forEach(sdk -> InsideSdks.assertSays(sdk, "version", versions.getProperty(sdk)));
  }

  @Test
  void theClassPathHasOneOkHttp_andTheOneThatIsMeant() throws Exception {
    assertEquals(System.getProperty("steadfast.expectedOkHttp"), OkHttp.VERSION);
    String client = OkHttpClient.class.getName().replace('.', '/') + ".class";
    assertEquals(1, VersionsTest.class.getClassLoader().resources(client).count());
  }
}
