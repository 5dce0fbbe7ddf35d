package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.BodyCopy;
import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.RequestView;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.MessageHeaders;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.net.URIAuthority;
import org.jspecify.annotations.Nullable;

/** HttpClient's requests and headers as the rules see them. */
final class Apache5Views {
  private Apache5Views() {}

  static String origin(HttpRequest request) {
    String scheme = scheme(request);
    URIAuthority authority = request.getAuthority();
    String host = authority == null ? "" : authority.getHostName().toLowerCase(Locale.ROOT);
    String written = host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
    return RequestView.origin(scheme, written, port(request));
  }

  private static String scheme(HttpRequest request) {
    String scheme = request.getScheme();
    return scheme == null ? "http" : scheme.toLowerCase(Locale.ROOT);
  }

  private static int port(HttpRequest request) {
    URIAuthority authority = request.getAuthority();
    int port = authority == null ? -1 : authority.getPort();
    return port > 0 ? port : scheme(request).equals("https") ? 443 : 80;
  }

  /** The path without its query. */
  static String path(HttpRequest request) {
    String target = request.getPath();
    if (target == null) {
      return "/";
    }
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** Names a request in reports, without what may be secret in its query. */
  static String text(HttpRequest request) {
    return request.getMethod() + " " + origin(request) + path(request);
  }

  /** Whether a request is for the same as another one; its host may be another. */
  static boolean sameTarget(HttpRequest one, HttpRequest other) {
    return one.getMethod().equals(other.getMethod()) && path(one).equals(path(other));
  }

  // The builders of HttpCore copy, too, and copy the headers once more.
  static ClassicHttpRequest copy(ClassicHttpRequest request) {
    ClassicHttpRequest copy =
        new BasicClassicHttpRequest(
            request.getMethod(), request.getScheme(), request.getAuthority(), request.getPath());
    copy.setEntity(request.getEntity());
    return withHead(copy, request);
  }

  static HttpRequest copy(HttpRequest request) {
    return withHead(
        new BasicHttpRequest(
            request.getMethod(), request.getScheme(), request.getAuthority(), request.getPath()),
        request);
  }

  private static <R extends HttpRequest> R withHead(R copy, HttpRequest request) {
    copy.setVersion(request.getVersion());
    copy.setHeaders(request.getHeaders());
    return copy;
  }

  static List<String> lines(MessageHeaders headers, String name) {
    Header first = headers.getFirstHeader(name); // unlike an iterator, it allocates nothing
    if (first == null) {
      return List.of();
    }
    if (headers.countHeaders(name) == 1) {
      return List.of(value(first));
    }
    List<String> all = new ArrayList<>();
    headers.headerIterator(name).forEachRemaining(line -> all.add(value(line)));
    return Collections.unmodifiableList(all);
  }

  private static String value(Header line) {
    return line.getValue() == null ? "" : line.getValue();
  }

  static Map<String, List<String>> map(MessageHeaders headers) {
    Map<String, List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers
        .headerIterator()
        .forEachRemaining(line ->
            all.computeIfAbsent(line.getName(), unused -> new ArrayList<>()).add(value(line)));
    all.replaceAll((name, values) -> Collections.unmodifiableList(values));
    return Collections.unmodifiableMap(all);
  }

  static boolean any(MessageHeaders headers, Predicate<String> name) {
    for (Iterator<Header> all = headers.headerIterator(); all.hasNext(); ) {
      if (name.test(all.next().getName())) {
        return true;
      }
    }
    return false;
  }

  /**
   * A request as its caller made it.
   *
   * @param sent the record of its body, null if that cannot change, or the request is not sent
   */
  record OfRequest(
      HttpRequest request, @Nullable EntityDetails entity, @Nullable SentBody sent, String origin)
      implements RequestView {
    OfRequest(HttpRequest request, @Nullable EntityDetails entity) {
      this(request, entity, watched(entity), Apache5Views.origin(request));
    }

    static OfRequest unsent(ClassicHttpRequest request) {
      return new OfRequest(request, request.getEntity(), null, Apache5Views.origin(request));
    }

    // A producer does not show whether its bytes are in memory.
    private static @Nullable SentBody watched(@Nullable EntityDetails entity) {
      boolean inMemory = entity instanceof ByteArrayEntity || entity instanceof StringEntity;
      return entity == null || inMemory ? null : new SentBody(entity, () -> isRepeatable(entity));
    }

    @Override
    public String method() {
      return request.getMethod();
    }

    @Override
    public URI uri() {
      try {
        return request.getUri();
      } catch (URISyntaxException odd) { // HttpClient sends it as it is
        return URI.create(origin + "/");
      }
    }

    @Override
    public List<String> headers(String name) {
      List<String> own = lines(request, name);
      String ofEntity = own.isEmpty() ? header(entity, name) : null;
      return ofEntity == null ? own : List.of(ofEntity);
    }

    @Override
    public Optional<Set<String>> headerNames() {
      Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
      for (Header header : request.getHeaders()) {
        names.add(header.getName());
      }
      for (String ofEntity : List.of("Content-Type", "Content-Encoding")) {
        if (header(entity, ofEntity) != null) {
          names.add(ofEntity);
        }
      }
      return Optional.of(names);
    }

    private static @Nullable String header(@Nullable EntityDetails entity, String name) {
      if (entity == null) {
        return null;
      }
      return switch (name.toLowerCase(Locale.ROOT)) {
        case "content-type" -> entity.getContentType();
        case "content-encoding" -> entity.getContentEncoding();
        case "content-length" ->
            entity.getContentLength() < 0 ? null : Long.toString(entity.getContentLength());
        default -> null;
      };
    }

    @Override
    public Optional<byte[]> body(int limit) {
      if (entity == null) {
        return Optional.of(new byte[0]);
      }
      if (!isRepeatable(entity) || entity.getContentLength() > limit) {
        return Optional.empty();
      }
      BodyCopy.Source source =
          entity instanceof AsyncEntityProducer producer
              ? out -> ProducedBytes.write(producer, out)
              : ((HttpEntity) entity)::writeTo;
      return BodyCopy.of(source, limit, sent);
    }

    private static boolean isRepeatable(EntityDetails entity) {
      return entity instanceof AsyncEntityProducer producer
          ? producer.isRepeatable()
          : ((HttpEntity) entity).isRepeatable();
    }
  }
}
