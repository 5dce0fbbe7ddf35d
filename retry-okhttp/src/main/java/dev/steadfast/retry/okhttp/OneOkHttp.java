package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.OkHttpClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports a class path that has too old an OkHttp, or two of them: Retrofit and many SDKs bring
 * OkHttp 4 as {@code okhttp}, or even OkHttp 3, and OkHttp 5 has another name, {@code okhttp-jvm}.
 * Checked once.
 */
final class OneOkHttp {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final String CLIENT = "okhttp3/OkHttpClient.class";
  private static final AtomicBoolean LOOKED = new AtomicBoolean();

  private OneOkHttp() {}

  /**
   * Checks the class path, the first time that it is called.
   *
   * @throws IllegalStateException if there is OkHttp 3, each time
   */
  static void require() {
    if (LOOKED.get()) {
      return;
    }
    ClassLoader loader = OkHttpClient.class.getClassLoader();
    if (loader == null) {
      return; // OkHttp is part of the platform: nothing to report
    }
    requireKotlins(loader);
    if (LOOKED.compareAndSet(false, true)) {
      warnOfSeveral(loader);
    }
  }

  /** OkHttp 3 lacks this class, and fails later with an error about Kotlin. */
  static void requireKotlins(ClassLoader loader) {
    try {
      Class.forName("okhttp3.OkHttp", false, loader);
    } catch (ClassNotFoundException old) {
      throw new IllegalStateException(
          "OkHttp: 3, in "
              + String.join(", ", places(loader))
              + " (expected: 4.12 or 5; with Maven, declare com.squareup.okhttp3:okhttp:4.12.0)",
          old);
    }
  }

  static void warnOfSeveral(ClassLoader loader) {
    List<String> places = places(loader);
    if (places.size() > 1) {
      LOG.warn(
          "OkHttp is on the class path {} times, and the order decides which classes run: {}. Keep"
              + " one. Depend on okhttp-jvm 5 with Maven and give com.squareup.okhttp3:okhttp the"
              + " same version in dependencyManagement, or have OkHttp 4 alone",
          places.size(),
          String.join(", ", places));
    }
  }

  private static List<String> places(ClassLoader loader) {
    try {
      List<String> places = new ArrayList<>();
      for (URL each : Collections.list(loader.getResources(CLIENT))) {
        places.add(place(each.toString()));
      }
      return places;
    } catch (IOException | RuntimeException unknown) {
      return List.of();
    }
  }

  // jar:file:/some/where/okhttp-4.12.0.jar!/okhttp3/OkHttpClient.class
  private static String place(String url) {
    String jar = url.substring(0, url.length() - CLIENT.length() - 1);
    String whole = jar.endsWith("!") ? jar.substring(0, jar.length() - 1) : jar;
    return whole.substring(whole.lastIndexOf('/') + 1);
  }
}
