package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryReport;
import java.io.IOException;
import java.util.Iterator;
import java.util.Locale;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/**
 * A response with a report. HttpClient wraps what a handler returns into a class of its own, which
 * shows nothing of ours. It passes on every look at a header, though: so the report is what this
 * response gives for a name that no header can have. No list of headers shows it.
 */
final class ReportedResponse implements ClassicHttpResponse {
  static final String REPORT = "\0steadfast-report";

  private final ClassicHttpResponse response;
  private final ReportHeader report;

  /** Carries a report; only {@link Apache5Reports} sees it. */
  record ReportHeader(RetryReport report) implements Header {
    @Override
    public String getName() {
      return REPORT;
    }

    @Override
    public String getValue() {
      return report.toString();
    }

    @Override
    public boolean isSensitive() {
      return true;
    }
  }

  ReportedResponse(ClassicHttpResponse response, RetryReport report) {
    this.response = response;
    this.report = new ReportHeader(report);
  }

  @Override
  public @Nullable Header getFirstHeader(String name) {
    return REPORT.equals(name) ? report : response.getFirstHeader(name);
  }

  @Override
  public int getCode() {
    return response.getCode();
  }

  @Override
  public void setCode(int code) {
    response.setCode(code);
  }

  @Override
  public String getReasonPhrase() {
    return response.getReasonPhrase();
  }

  @Override
  public void setReasonPhrase(String reason) {
    response.setReasonPhrase(reason);
  }

  @Override
  public Locale getLocale() {
    return response.getLocale();
  }

  @Override
  public void setLocale(Locale locale) {
    response.setLocale(locale);
  }

  @Override
  public ProtocolVersion getVersion() {
    return response.getVersion();
  }

  @Override
  public void setVersion(ProtocolVersion version) {
    response.setVersion(version);
  }

  @Override
  public HttpEntity getEntity() {
    return response.getEntity();
  }

  @Override
  public void setEntity(HttpEntity entity) {
    response.setEntity(entity);
  }

  @Override
  public void addHeader(Header header) {
    response.addHeader(header);
  }

  @Override
  public void addHeader(String name, Object value) {
    response.addHeader(name, value);
  }

  @Override
  public void setHeader(Header header) {
    response.setHeader(header);
  }

  @Override
  public void setHeader(String name, Object value) {
    response.setHeader(name, value);
  }

  @Override
  public void setHeaders(Header... headers) {
    response.setHeaders(headers);
  }

  @Override
  public boolean removeHeader(Header header) {
    return response.removeHeader(header);
  }

  @Override
  public boolean removeHeaders(String name) {
    return response.removeHeaders(name);
  }

  @Override
  public boolean containsHeader(String name) {
    return response.containsHeader(name);
  }

  @Override
  public int countHeaders(String name) {
    return response.countHeaders(name);
  }

  @Override
  public Header getHeader(String name) throws ProtocolException {
    return response.getHeader(name);
  }

  @Override
  public Header[] getHeaders() {
    return response.getHeaders();
  }

  @Override
  public Header[] getHeaders(String name) {
    return response.getHeaders(name);
  }

  @Override
  public Header getLastHeader(String name) {
    return response.getLastHeader(name);
  }

  @Override
  public Iterator<Header> headerIterator() {
    return response.headerIterator();
  }

  @Override
  public Iterator<Header> headerIterator(String name) {
    return response.headerIterator(name);
  }

  @Override
  public void close() throws IOException {
    response.close();
  }

  @Override
  public String toString() {
    return response.toString();
  }
}
