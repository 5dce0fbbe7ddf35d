package dev.steadfast.retry.httpclient;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.ee10.servlet.security.ConstraintMapping;
import org.eclipse.jetty.ee10.servlet.security.ConstraintSecurityHandler;
import org.eclipse.jetty.security.Constraint;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.security.authentication.BasicAuthenticator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.security.Credential;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A servlet container on loopback. */
final class Jetty implements AutoCloseable {
  private final Server server = new Server(new QueuedThreadPool(8));
  private final ServerConnector connector = new ServerConnector(server, 1, 1);
  private final ServletContextHandler context = new ServletContextHandler();

  Jetty() {
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    server.addConnector(connector);
    context.setContextPath("/");
    server.setHandler(context);
  }

  Jetty filter(Filter filter) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    context.addFilter(holder, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    return this;
  }

  Jetty servlet(HttpServlet servlet) {
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    return this;
  }

  /** Lets in those users alone, each under their name as the password. */
  Jetty basicAuthentication(String... users) {
    UserStore store = new UserStore();
    for (String user : users) {
      store.addUser(user, Credential.getCredential(user), new String[] {"user"});
    }
    HashLoginService logins = new HashLoginService("realm");
    logins.setUserStore(store);
    ConstraintMapping all = new ConstraintMapping();
    all.setPathSpec("/*");
    all.setConstraint(Constraint.ANY_USER);
    ConstraintSecurityHandler security = new ConstraintSecurityHandler();
    security.setAuthenticator(new BasicAuthenticator());
    security.setLoginService(logins);
    security.addConstraintMapping(all);
    context.setSecurityHandler(security);
    return this;
  }

  Jetty start() throws Exception {
    server.start();
    return this;
  }

  URI uri() {
    return Front.Running.uri(
        "http", new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }
}
