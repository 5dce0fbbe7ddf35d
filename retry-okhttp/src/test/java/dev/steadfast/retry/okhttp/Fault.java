package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.testsupport.H2Server;

/** What a server does with a request that it has read whole, instead of answering. */
enum Fault {
  H1_FIN,
  H1_RST,
  H2_FIN,
  H2_RST,
  H2_PROTOCOL_ERROR,
  H2_INTERNAL_ERROR,
  H2_REFUSED_STREAM,
  H2_CANCEL,
  H2_ENHANCE_YOUR_CALM,
  H2_GOAWAY;

  boolean h2() {
    return name().startsWith("H2_");
  }

  /** Whether the protocol proves that the request was not processed (RFC 9113 section 8.7). */
  boolean refused() {
    return this == H2_REFUSED_STREAM || this == H2_GOAWAY;
  }

  Reply h1Reply() {
    return switch (this) {
      case H1_FIN -> Reply.closeAfterRequest();
      case H1_RST -> Reply.resetAfterRequest();
      default -> throw new AssertionError(this);
    };
  }

  H2Server.Action h2Action() {
    return switch (this) {
      case H2_FIN -> H2Server.fin();
      case H2_RST -> H2Server.tcpReset();
      case H2_PROTOCOL_ERROR -> H2Server.reset(1);
      case H2_INTERNAL_ERROR -> H2Server.reset(2);
      case H2_REFUSED_STREAM -> H2Server.reset(7);
      case H2_CANCEL -> H2Server.reset(8);
      case H2_ENHANCE_YOUR_CALM -> H2Server.reset(11);
      case H2_GOAWAY -> H2Server.goAway();
      default -> throw new AssertionError(this);
    };
  }
}
