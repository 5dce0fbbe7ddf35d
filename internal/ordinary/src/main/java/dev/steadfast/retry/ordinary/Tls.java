package dev.steadfast.retry.ordinary;

import java.net.InetAddress;
import javax.net.ssl.SSLContext;
import okhttp3.OkHttpClient;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** A certificate for loopback, and clients that trust it. */
public final class Tls {
  private static final HeldCertificate CERTIFICATE =
      new HeldCertificate.Builder()
          .commonName("ordinary")
          .addSubjectAlternativeName("127.0.0.1")
          .addSubjectAlternativeName("localhost")
          .addSubjectAlternativeName(InetAddress.getLoopbackAddress().getHostAddress())
          .build();
  private static final HandshakeCertificates SERVER =
      new HandshakeCertificates.Builder().heldCertificate(CERTIFICATE).build();
  private static final HandshakeCertificates CLIENT =
      new HandshakeCertificates.Builder().addTrustedCertificate(CERTIFICATE.certificate()).build();

  private Tls() {}

  static SSLContext server() {
    return SERVER.sslContext();
  }

  static HandshakeCertificates serverCertificates() {
    return SERVER;
  }

  /** A context of a client that trusts the servers of this module. */
  public static SSLContext client() {
    return CLIENT.sslContext();
  }

  /** Has an OkHttp client trust the servers of this module. */
  public static void trust(OkHttpClient.Builder builder) {
    builder.sslSocketFactory(CLIENT.sslSocketFactory(), CLIENT.trustManager());
  }
}
