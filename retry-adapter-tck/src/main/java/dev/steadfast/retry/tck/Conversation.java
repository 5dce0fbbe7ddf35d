package dev.steadfast.retry.tck;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.util.Optional;

/** The requests and replies of one connection, from its first byte to the reply that ends it. */
final class Conversation {
  private final int connection;
  private final ClientInput input;
  private final RequestReader reader;
  private final ReplyWriter writer;
  private final Script script;
  private final ServerLog log;

  Conversation(int connection, ClientInput input, OutputStream out, Script script, ServerLog log) {
    this.connection = connection;
    this.input = input;
    this.reader = new RequestReader(input);
    this.writer = new ReplyWriter(out);
    this.script = script;
    this.log = log;
  }

  /** How to part with the client. */
  enum Farewell {
    /** Not yet: another request may come. */
    NONE,
    /** FIN; the client has nothing more to say. */
    CLOSE,
    /** FIN, but go on reading: to close with unread bytes would send RST instead. */
    LINGER,
    /** RST. */
    RESET
  }

  /** Serves requests until the connection is to end, and says how. */
  Farewell run() throws IOException {
    try {
      Farewell farewell = Farewell.NONE;
      for (int index = 0; farewell == Farewell.NONE; index++) {
        Optional<RequestReader.Head> head = reader.readHead();
        log.busy(connection);
        farewell = head.isPresent() ? exchange(head.get(), index) : Farewell.CLOSE;
        if (farewell == Farewell.NONE) {
          log.idle(connection);
        }
      }
      return farewell;
    } catch (ProtocolException e) {
      log.problem(e);
      writer.reply(Reply.status(400).body(String.valueOf(e.getMessage())).parts(), false, true);
      return Farewell.LINGER;
    }
  }

  private Farewell exchange(RequestReader.Head head, int index) throws IOException {
    Optional<Reply> early = script.atHead(received(head, index, new byte[0]));
    boolean skipBody = early.map(reply -> reply.parts().onHead).orElse(false);
    boolean silent = early.map(reply -> reply.parts().withoutContinue).orElse(false);
    if (head.expectsContinue() && !skipBody && !silent) {
      writer.informational("HTTP/1.1 100 Continue\r\n\r\n");
    }
    Received request = received(head, index, skipBody ? new byte[0] : reader.readBody(head));
    log.received(request);
    script.received(request);
    Reply reply = early.orElseGet(() -> script.atEnd(request));
    return perform(reply.parts(), head, skipBody && head.hasBody());
  }

  private Received received(RequestReader.Head head, int index, byte[] body) {
    return new Received(connection, index, head.method(), head.target(), head.headers(), body);
  }

  private Farewell perform(Parts parts, RequestReader.Head head, boolean unread)
      throws IOException {
    for (String informational : parts.informational) {
      writer.informational(informational);
    }
    if (parts.delay != null && !input.hold(parts.delay)) {
      return Farewell.CLOSE;
    }
    boolean noContent = head.method().equals("HEAD");
    boolean keep = parts.ending == Reply.Ending.KEEP;
    boolean announceClose = keep && (unread || !head.persistent());
    writer.reply(parts, noContent, announceClose);
    boolean said = RequestReader.hasToken(parts.headers, "Connection", "close");
    if (keep && !announceClose && !said) {
      return Farewell.NONE;
    }
    return end(parts, noContent, unread);
  }

  private Farewell end(Parts parts, boolean noContent, boolean unread) throws IOException {
    input.discard();
    if (parts.ending == Reply.Ending.STALL) {
      input.awaitEnd();
    }
    if (parts.ending == Reply.Ending.ENDLESS) {
      writer.endless(parts, noContent, input);
    }
    if (parts.closeWhen != null) {
      input.hold(parts.closeWhen);
    }
    if (parts.ending == Reply.Ending.RESET) {
      return Farewell.RESET;
    }
    return unread ? Farewell.LINGER : Farewell.CLOSE;
  }
}
