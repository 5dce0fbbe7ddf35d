package dev.steadfast.retry.examples;

import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/**
 * A certificate for this run of the demo alone.
 *
 * @param server what the server shows
 * @param client what a client needs to trust it
 */
record Certificate(HandshakeCertificates server, HandshakeCertificates client) {

  static Certificate generate() {
    HeldCertificate held =
        new HeldCertificate.Builder()
            .commonName("localhost")
            .addSubjectAlternativeName("localhost")
            .build();
    return new Certificate(
        new HandshakeCertificates.Builder().heldCertificate(held).build(),
        new HandshakeCertificates.Builder().addTrustedCertificate(held.certificate()).build());
  }
}
