package dev.steadfast.retry.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
 * The slf4j binding of tests. It keeps the lines that the library logs while a test looks, and
 * drops all others. {@code META-INF/services} names it.
 */
public final class CapturedLog implements SLF4JServiceProvider, ILoggerFactory {
  private static final String OURS = "dev.steadfast.retry";
  // Per thread: what other tests left running must not be heard here.
  private static final ThreadLocal<List<Line>> LINES = new ThreadLocal<>();
  private static volatile List<String> warnings; // on any thread

  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter mdc = new BasicMDCAdapter();

  /** One line, with its arguments filled in. */
  public record Line(Level level, String text) {}

  /** Runs code, and returns the lines that this thread logged meanwhile. */
  public static List<Line> of(Runnable code) {
    List<Line> lines = new ArrayList<>();
    LINES.set(lines);
    try {
      code.run();
      return List.copyOf(lines);
    } finally {
      LINES.remove();
    }
  }

  /** Runs code, and returns the warnings and errors that any thread logged meanwhile. */
  public static List<String> warningsOf(Runnable code) {
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
    return this;
  }

  @Override
  public Logger getLogger(String name) {
    return new TestLogger(name);
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

  /** Warnings of the library, and all of its lines down to debug for a thread whose test looks. */
  private static final class TestLogger extends LegacyAbstractLogger {
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
      List<String> heard = warnings;
      if (lines == null && heard == null) {
        return;
      }
      String text = MessageFormatter.basicArrayFormat(pattern, arguments);
      if (lines != null) {
        lines.add(new Line(level, thrown == null ? text : text + " " + thrown));
      }
      if (heard != null && level.toInt() >= Level.WARN.toInt()) {
        heard.add(level + " " + text);
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
      return ours && LINES.get() != null;
    }

    @Override
    public boolean isInfoEnabled() {
      return ours && LINES.get() != null;
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
