package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import okio.BufferedSink;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;

/** Request bodies that are not just bytes. */
final class Bodies {
  private Bodies() {}

  /** A body that can be written once, and counts. */
  static RequestBody oneShot(AtomicInteger written) {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return null;
      }

      @Override
      public boolean isOneShot() {
        return true;
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        written.incrementAndGet();
        sink.writeUtf8("once");
      }
    };
  }

  /** A body of unknown length that can be written again. */
  static RequestBody streaming(int lines) {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return MediaType.get("text/plain");
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        for (int i = 0; i < lines; i++) {
          sink.writeUtf8("line " + i + "\n");
          sink.flush();
        }
      }
    };
  }

  /** A response body that counts how often it is closed. */
  static ResponseBody counting(ResponseBody body, AtomicInteger closed) {
    Source source =
        new ForwardingSource(body.source()) {
          @Override
          public void close() throws IOException {
            closed.incrementAndGet();
            super.close();
          }
        };
    return ResponseBody.create(Okio.buffer(source), body.contentType(), body.contentLength());
  }

  static RequestBody duplex() {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return null;
      }

      @Override
      public boolean isDuplex() {
        return true;
      }

      @Override
      public void writeTo(BufferedSink sink) {}
    };
  }
}
