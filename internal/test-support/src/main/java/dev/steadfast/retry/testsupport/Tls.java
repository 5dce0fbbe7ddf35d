package dev.steadfast.retry.testsupport;

import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** A certificate for loopback that both ends of a connection show and trust. */
public final class Tls {
  /** Names {@code localhost} and its address. */
  public static final HeldCertificate CERTIFICATE =
      new HeldCertificate.Builder()
          .addSubjectAlternativeName("localhost")
          .addSubjectAlternativeName("127.0.0.1")
          .build();

  /** What both ends use. */
  public static final HandshakeCertificates LOOPBACK =
      new HandshakeCertificates.Builder()
          .heldCertificate(CERTIFICATE)
          .addTrustedCertificate(CERTIFICATE.certificate())
          .build();

  private Tls() {}
}
