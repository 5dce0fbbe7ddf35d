package dev.steadfast.retry.http;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The slf4j binding of these tests: keeps what the library logs while a test looks, and drops the
 * rest. Found by {@code META-INF/services}.
 */
public final class CapturedLog implements SLF4JServiceProvider {
  private static final String OURS = "dev.steadfast.retry";
  // Per thread: what other tests left running must not be heard here.
  private static final ThreadLocal<List<Line>> LINES = new ThreadLocal<>();

  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter mdc = new BasicMDCAdapter();

  /** One line, with its arguments filled in. */
  record Line(Level level, String text) {}

  /** What was logged on this thread while some code ran. */
  static List<Line> of(Runnable code) {
    List<Line> lines = new ArrayList<>();
    LINES.set(lines);
    try {
      code.run();
      return List.copyOf(lines);
    } finally {
      LINES.remove();
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

  /** Everything down to debug for the library, nothing for others. */
  static final class TestLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    private final boolean ours;

    TestLogger(String name) {
      this.name = name;
      this.ours = name.startsWith(OURS);
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
      List<Line> lines = LINES.get();
      if (lines != null) {
        String text = MessageFormatter.basicArrayFormat(pattern, arguments);
        lines.add(new Line(level, thrown == null ? text : text + " " + thrown));
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
      return ours;
    }

    @Override
    public boolean isInfoEnabled() {
      return ours;
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
