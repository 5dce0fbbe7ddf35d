package dev.steadfast.retry.httpclient;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.server.HttpServerScope;
import dev.steadfast.retry.server.ServletScope;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;

/**
 * The real servers that enter a scope around each request, and how they are configured for that.
 */
enum Front {
  JDK_FILTER {
    @Override
    Running start(ScopeOptions options, Work work) throws IOException {
      Running running = new Running();
      HttpContext context = running.jdk(exchange -> answer(exchange, work));
      context
          .getFilters()
          .add(
              HttpServerScope.filter(
                  options, exchange -> exchange.getRequestHeaders().getFirst("X-User")));
      return running;
    }
  },

  JDK_HANDLER {
    @Override
    Running start(ScopeOptions options, Work work) throws IOException {
      Running running = new Running();
      running.jdk(
          HttpServerScope.handler(
              exchange -> answer(exchange, work),
              options,
              exchange -> exchange.getRequestHeaders().getFirst("X-User")));
      return running;
    }
  },

  JETTY {
    @Override
    Running start(ScopeOptions options, Work work) throws Exception {
      Running running = new Running();
      Jetty jetty =
          new Jetty()
              .filter(running.servletProbe())
              .filter(ServletScope.of(options, request -> request.getHeader("X-User")))
              .servlet(new Answering(work))
              .start();
      running.stops.add(jetty);
      running.uri = jetty.uri();
      return running;
    }
  };

  abstract Running start(ScopeOptions options, Work work) throws Exception;

  /** What a service does for a request. */
  interface Work {
    /** Returns the status of the answer; gets a setter of its headers. */
    int handle(BiConsumer<String, String> headers) throws Exception;
  }

  private static void answer(HttpExchange exchange, Work work) throws IOException {
    try (exchange) {
      int status = work.handle(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(status, -1);
    } catch (IOException | RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new IOException(failure);
    }
  }

  private static final class Answering extends HttpServlet {
    private final transient Work work;

    Answering(Work work) {
      this.work = work;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException {
      try {
        response.setStatus(work.handle(response::setHeader));
      } catch (RuntimeException failure) {
        throw failure;
      } catch (Exception failure) {
        throw new ServletException(failure);
      }
    }
  }

  /** A server, and what of its requests' scopes was seen outside of them. */
  static final class Running implements AutoCloseable {
    /** Scopes that a thread was in before or after the request. */
    final List<RetryScope> leaks = new CopyOnWriteArrayList<>();

    private final List<AutoCloseable> stops = new CopyOnWriteArrayList<>();
    private URI uri = URI.create("http://unset");

    HttpContext jdk(HttpHandler handler) throws IOException {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      ExecutorService oneThread = Executors.newSingleThreadExecutor();
      server.setExecutor(oneThread);
      stops.add(() -> server.stop(0));
      stops.add(oneThread::shutdownNow);
      HttpContext context = server.createContext("/", handler);
      context.getFilters().add(new JdkProbe(this));
      server.start();
      uri = uri("http", server.getAddress());
      return context;
    }

    HttpFilter servletProbe() {
      return new ServletProbe(this);
    }

    static URI uri(String scheme, InetSocketAddress address) {
      return URI.create(
          scheme + "://" + address.getAddress().getHostAddress() + ":" + address.getPort() + "/");
    }

    void look() {
      RetryScope.current().ifPresent(leaks::add);
    }

    HttpRequest.Builder request() {
      return HttpRequest.newBuilder(uri);
    }

    @Override
    public void close() throws Exception {
      for (AutoCloseable stop : stops) {
        stop.close();
      }
    }
  }

  private static final class JdkProbe extends Filter {
    private final Running running;

    JdkProbe(Running running) {
      this.running = running;
    }

    @Override
    public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
      running.look();
      try {
        chain.doFilter(exchange);
      } finally {
        running.look();
      }
    }

    @Override
    public String description() {
      return "looks for leaks";
    }
  }

  private static final class ServletProbe extends HttpFilter {
    private final transient Running running;

    ServletProbe(Running running) {
      this.running = running;
    }

    @Override
    protected void doFilter(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      running.look();
      try {
        chain.doFilter(request, response);
      } finally {
        running.look();
      }
    }
  }
}
