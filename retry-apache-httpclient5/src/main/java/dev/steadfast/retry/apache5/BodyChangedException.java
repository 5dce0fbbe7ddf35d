package dev.steadfast.retry.apache5;

import java.io.IOException;

/** A request body yielded other bytes than in the attempt before; not all of it was sent. */
final class BodyChangedException extends IOException {
  private static final long serialVersionUID = 1;

  BodyChangedException(BodyPass.Yield now, BodyPass.Yield before) {
    super(
        "the request body has changed: "
            + now.bytes()
            + " bytes now, "
            + before.bytes()
            + " before"
            + (now.bytes() == before.bytes() ? ", and others" : ""));
  }
}
