package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.StreamClosedException;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.io.IOCallback;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Request bodies that close the stream they are written to, as a writer or a gzip stream does. */
class ClosedStreamTest {
  private static final String TEXT = "cents=1999";
  private static final int CHUNKED = -1;

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  static Stream<Arguments> bodies() {
    return Stream.of(
        Arguments.of("writer, chunked", body(CHUNKED, ClosedStreamTest::write)),
        Arguments.of("writer, length", body(TEXT.length(), ClosedStreamTest::write)),
        Arguments.of(
            "closed twice",
            body(
                CHUNKED,
                out -> {
                  write(out);
                  out.close();
                })),
        Arguments.of(
            "flushed after its end",
            body(
                CHUNKED,
                out -> {
                  write(out);
                  out.flush();
                })),
        Arguments.of(
            "gzip stream",
            body(
                CHUNKED,
                out -> {
                  try (OutputStream gzip = new GZIPOutputStream(out)) {
                    gzip.write(TEXT.getBytes(StandardCharsets.UTF_8));
                  }
                })));
  }

  private static HttpEntity body(int length, IOCallback<OutputStream> writes) {
    return new EntityTemplate(length, ContentType.TEXT_PLAIN, null, writes);
  }

  private static void write(OutputStream out) throws IOException {
    try (Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8)) {
      writer.write(TEXT);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bodies")
  void eachAttemptSendsWhatThePlainClientSends(String name, HttpEntity body) throws IOException {
    server.enqueue(Reply.status(200), Reply.status(503), Reply.status(503), Reply.status(200));
    assertEquals(200, post(HttpClients.custom(), body));
    assertEquals(200, post(Apache5Retry.addTo(HttpClients.custom(), Parts.keyed()), body));
    List<String> bodies =
        server.requests().stream().map(each -> HexFormat.of().formatHex(each.body())).toList();
    assertEquals(4, bodies.size());
    assertEquals(1, bodies.stream().distinct().count(), bodies::toString);
  }

  @Test
  void aBodyThatYieldsLessAndClosesItsStream_isNeverCompleteAtTheServer() throws IOException {
    server.enqueue(Reply.status(503), Reply.status(200));
    AtomicInteger pass = new AtomicInteger();
    HttpEntity shrinks =
        body(
            CHUNKED,
            out -> {
              try (out) {
                out.write(
                    (pass.getAndIncrement() == 0 ? TEXT : "cents=19")
                        .getBytes(StandardCharsets.UTF_8));
              }
            });
    assertEquals(503, post(Apache5Retry.addTo(HttpClients.custom(), Parts.keyed()), shrinks));
    assertEquals(1, server.requests().size());
  }

  @Test
  void aBodyThatClosesItsStreamAndThrows_isNeverCompleteAtTheServer() {
    HttpEntity throwing =
        body(
            CHUNKED,
            out -> {
              try (out) {
                out.write("cents=19".getBytes(StandardCharsets.UTF_8));
                throw new IOException("the rest is not there");
              }
            });
    assertThrows(
        IOException.class,
        () -> post(Apache5Retry.addTo(HttpClients.custom(), Parts.keyed()), throwing));
    assertEquals(0, server.requests().size());
  }

  @Test
  void afterItsEnd_nothingCanBeWritten_asWithThePlainClient() {
    HttpEntity goesOn =
        body(
            CHUNKED,
            out -> {
              write(out);
              out.write(1);
            });
    assertThrows(StreamClosedException.class, () -> post(HttpClients.custom(), goesOn));
    assertThrows(
        StreamClosedException.class,
        () -> post(Apache5Retry.addTo(HttpClients.custom(), Parts.keyed()), goesOn));
  }

  private int post(HttpClientBuilder builder, HttpEntity body) throws IOException {
    HttpPost post = new HttpPost(server.uri("/pay"));
    post.setEntity(body);
    try (CloseableHttpClient client = builder.build()) {
      return client.execute(post, response -> response.getCode());
    }
  }
}
