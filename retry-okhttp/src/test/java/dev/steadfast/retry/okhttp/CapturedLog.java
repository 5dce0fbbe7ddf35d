package dev.steadfast.retry.okhttp;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The slf4j binding of these tests: keeps the library's warnings, on whatever thread, while a test
 * looks, and drops the rest. Found by {@code META-INF/services}.
 */
public final class CapturedLog implements SLF4JServiceProvider {
  private static volatile List<String> warnings;

  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter mdc = new NOPMDCAdapter();

  /** What the library warned of while some code ran. */
  static List<String> warningsOf(Runnable code) {
    List<String> heard = new CopyOnWriteArrayList<>();
    warnings = heard;
    try {
      code.run();
      return List.copyOf(heard);
    } finally {
      warnings = null;
    }
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return TestLogger::new;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

  /** Warnings and errors of the library, nothing else. */
  private static final class TestLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    private final boolean ours;

    TestLogger(String name) {
      this.name = name;
      this.ours = name.startsWith("dev.steadfast.retry");
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
      List<String> heard = warnings;
      if (heard != null) {
        heard.add(level + " " + MessageFormatter.basicArrayFormat(pattern, arguments));
      }
    }

    @Override
    protected String getFullyQualifiedCallerName() {
      return Logger.class.getName();
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return false;
    }

    @Override
    public boolean isWarnEnabled() {
      return ours;
    }

    @Override
    public boolean isErrorEnabled() {
      return ours;
    }
  }
}
