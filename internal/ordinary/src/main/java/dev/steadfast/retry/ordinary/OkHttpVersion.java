package dev.steadfast.retry.ordinary;

import okhttp3.OkHttp;

/** The OkHttp that is on the class path. */
final class OkHttpVersion {
  private OkHttpVersion() {}

  /** Read when it runs: the compiler would copy the constant of the version that it sees. */
  static String text() {
    try {
      return (String) OkHttp.class.getField("VERSION").get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("OkHttp has no version", e);
    }
  }
}
