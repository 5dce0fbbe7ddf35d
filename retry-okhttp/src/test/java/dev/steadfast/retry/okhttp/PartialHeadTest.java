package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.tck.Reply;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.net.SocketFactory;
import okhttp3.Call;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A pooled connection that ends within the head of an answer was not closed while it was idle. */
class PartialHeadTest {
  @RegisterExtension private final Rig rig = new Rig();
  private final Target target = rig.target(false);

  /** How the connection ends. */
  enum End {
    FIN,
    RESET
  }

  private static Stream<Arguments> entriesEndsAnd(String... heads) {
    return Arrays.stream(Entry.values())
        .flatMap(entry ->
            Arrays.stream(End.values())
                .flatMap(end -> Arrays.stream(heads).map(head -> Arguments.of(entry, end, head))));
  }

  static Stream<Arguments> statusLines() {
    return entriesEndsAnd(
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n");
  }

  private Call.Factory pooled(Entry entry, End end) throws IOException {
    Call.Factory calls =
        rig.calls(
            entry,
            end == End.RESET ? target.client().socketFactory(new Resetting()) : target.client(),
            rig.once());
    target.warmUp(calls);
    rig.recorder.forget();
    return calls;
  }

  @ParameterizedTest
  @MethodSource("statusLines")
  void aGetIsNotResentForFreeAfterTheStatusLine(Entry entry, End end, String head)
      throws Exception {
    assertSentOnce(entry, end, head);
  }

  private void assertSentOnce(Entry entry, End end, String head) throws Exception {
    Call.Factory calls = pooled(entry, end);
    target.h1().enqueue(Reply.partialHead(head));

    Entry.Outcome got = entry.make(calls.newCall(target.get()));

    assertEquals(1, target.deliveries(), got.toString());
    assertEquals(FailureKind.CONNECTION_LOST, rig.recorder.attempts().get(0).kind().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void withoutAnyByteItIs(End end) throws Exception {
    Call.Factory calls = pooled(Entry.EXECUTE, end);
    target.h1().enqueue(Reply.closeAfterRequest());

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(target.get()));

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, target.deliveries());
    assertEquals(FailureKind.STALE_CONNECTION, rig.recorder.attempts().get(0).kind().orElseThrow());
  }

  /**
   * Sockets to which the end of their input is a reset. A real one may overtake the bytes before
   * it.
   */
  private static final class Resetting extends SocketFactory {
    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public InputStream getInputStream() throws IOException {
          return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read() throws IOException {
              return orReset(super.read());
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
              return orReset(super.read(to, offset, length));
            }
          };
        }
      };
    }

    private static int orReset(int read) throws SocketException {
      if (read < 0) {
        throw new SocketException("Connection reset");
      }
      return read;
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }
  }
}
