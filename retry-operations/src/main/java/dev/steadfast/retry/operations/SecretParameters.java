package dev.steadfast.retry.operations;

import dev.steadfast.retry.internal.Checks;
import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.net.URLDecoder;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The query parameters whose values are secrets; the user info of a URI is one, too. Immutable. */
final class SecretParameters {
  static final SecretParameters DEFAULTS =
      new SecretParameters(
          "access_token",
          "api_key",
          "api-key",
          "apikey",
          "auth",
          "auth_token",
          "AWSAccessKeyId",
          "client_secret",
          "id_token",
          "jwt",
          "key", // Google
          "passwd",
          "password",
          "pwd",
          "refresh_token",
          "secret",
          "session",
          "sessionid",
          "sig", // Azure
          "signature",
          "subscription-key", // Azure
          "token",
          "X-Amz-Credential",
          "X-Amz-Security-Token",
          "X-Amz-Signature",
          "X-Goog-Credential",
          "X-Goog-Signature");

  private final Set<String> names; // in any case; not changed after construction

  /**
   * Names parameters.
   *
   * @throws IllegalArgumentException if a name is empty
   */
  SecretParameters(String... names) {
    this.names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    for (String name : names) {
      if (name.isEmpty()) {
        throw Checks.bad("secret parameter", "''", "a name of 1 or more characters");
      }
      this.names.add(name);
    }
  }

  /**
   * Refuses a URI that has a secret.
   *
   * @throws IllegalArgumentException if a parameter is named here, or if the URI names a user
   */
  void refuse(URI uri) {
    String secret = names.isEmpty() ? null : secret(uri);
    if (secret != null) {
      throw Checks.bad(
          "query of a journaled request",
          secret,
          "no secret that the journal would store: a header instead, or a codec of the journal, or"
              + " other names in OperationJournal.Settings.withSecretParameters");
    }
  }

  private @Nullable String secret(URI uri) {
    if (uri.getRawUserInfo() != null) {
      return "user info";
    }
    String query = uri.getRawQuery();
    if (query == null) {
      return null;
    }
    for (String parameter : query.split("[&;]", -1)) {
      String name = decoded(parameter.split("=", 2)[0]);
      if (names.contains(name)) {
        return name;
      }
    }
    return null;
  }

  @SuppressWarnings("JdkObsolete") // the method with a Charset is not in Android 8
  private static String decoded(String name) {
    try {
      return URLDecoder.decode(name, "UTF-8");
    } catch (IllegalArgumentException | UnsupportedEncodingException noEncoding) {
      return name;
    }
  }
}
