package dev.steadfast.retry.ordinary;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.List;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.Handshake;
import okhttp3.HttpUrl;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Notes what an event listener is told, in order; with what both versions of OkHttp have. */
final class EventNames extends EventListener {
  private final Observation seen;

  EventNames(Observation seen) {
    this.seen = seen;
  }

  private void note(String event) {
    seen.note("events", event);
  }

  @Override
  public void callStart(Call call) {
    note("callStart");
  }

  @Override
  public void proxySelectStart(Call call, HttpUrl url) {
    note("proxySelectStart");
  }

  @Override
  public void proxySelectEnd(Call call, HttpUrl url, List<Proxy> proxies) {
    note("proxySelectEnd " + proxies);
  }

  @Override
  public void dnsStart(Call call, String domainName) {
    note("dnsStart " + domainName);
  }

  @Override
  public void dnsEnd(Call call, String domainName, List<InetAddress> addresses) {
    note("dnsEnd " + domainName);
  }

  @Override
  public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
    note("connectStart " + address);
  }

  @Override
  public void secureConnectStart(Call call) {
    note("secureConnectStart");
  }

  @Override
  public void secureConnectEnd(Call call, @Nullable Handshake handshake) {
    note("secureConnectEnd");
  }

  @Override
  public void connectEnd(
      Call call, InetSocketAddress address, Proxy proxy, @Nullable Protocol protocol) {
    note("connectEnd " + protocol);
  }

  @Override
  public void connectFailed(
      Call call,
      InetSocketAddress address,
      Proxy proxy,
      @Nullable Protocol protocol,
      IOException thrown) {
    note("connectFailed " + thrown);
  }

  @Override
  public void connectionAcquired(Call call, Connection connection) {
    note("connectionAcquired");
  }

  @Override
  public void connectionReleased(Call call, Connection connection) {
    note("connectionReleased");
  }

  @Override
  public void requestHeadersStart(Call call) {
    note("requestHeadersStart");
  }

  @Override
  public void requestHeadersEnd(Call call, Request request) {
    note("requestHeadersEnd " + request.method() + " " + request.url());
  }

  @Override
  public void requestBodyStart(Call call) {
    note("requestBodyStart");
  }

  @Override
  public void requestBodyEnd(Call call, long byteCount) {
    note("requestBodyEnd " + byteCount);
  }

  @Override
  public void requestFailed(Call call, IOException thrown) {
    note("requestFailed " + thrown);
  }

  @Override
  public void responseHeadersStart(Call call) {
    note("responseHeadersStart");
  }

  @Override
  public void responseHeadersEnd(Call call, Response response) {
    note("responseHeadersEnd " + response.code());
    response
        .headers()
        .forEach(each -> note("responseHeadersEnd " + each.getFirst() + ": " + each.getSecond()));
  }

  @Override
  public void responseBodyStart(Call call) {
    note("responseBodyStart");
  }

  @Override
  public void responseBodyEnd(Call call, long byteCount) {
    note("responseBodyEnd " + byteCount);
  }

  @Override
  public void responseFailed(Call call, IOException thrown) {
    note("responseFailed " + thrown);
  }

  @Override
  public void callEnd(Call call) {
    note("callEnd");
  }

  @Override
  public void callFailed(Call call, IOException thrown) {
    note("callFailed " + thrown);
  }

  @Override
  public void canceled(Call call) {
    note("canceled");
  }

  @Override
  public void satisfactionFailure(Call call, Response response) {
    note("satisfactionFailure");
  }

  @Override
  public void cacheHit(Call call, Response response) {
    note("cacheHit");
  }

  @Override
  public void cacheMiss(Call call) {
    note("cacheMiss");
  }

  @Override
  public void cacheConditionalHit(Call call, Response cachedResponse) {
    note("cacheConditionalHit");
  }
}
