package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import okhttp3.OkHttp;
import org.junit.jupiter.api.Test;

/** Which OkHttp all of these tests ran on. */
class OkHttpVersionTest {
  @Test
  void isTheOneThatTheModuleIsFor() {
    System.out.println("OkHttp.VERSION: " + OkHttp.VERSION);
    assertEquals(System.getProperty("steadfast.expectedOkHttp"), OkHttp.VERSION);
  }
}
