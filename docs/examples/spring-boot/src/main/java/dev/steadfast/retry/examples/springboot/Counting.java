package dev.steadfast.retry.examples.springboot;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.spring.boot.HttpRetryCustomizer;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** What the run wants to know of the application. */
@Configuration(proxyBeanMethods = false)
class Counting {
  private final AtomicInteger attempts = new AtomicInteger();

  @Bean
  HttpRetryCustomizer countAttempts() {
    RetryListener listener =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            attempts.addAndGet(report.attempts());
          }
        };
    return (client, retry) -> retry.listener(listener);
  }

  int attempts() {
    return attempts.get();
  }

  @EventListener
  void started(WebServerInitializedEvent event) {
    System.out.println("port " + event.getWebServer().getPort());
  }
}
