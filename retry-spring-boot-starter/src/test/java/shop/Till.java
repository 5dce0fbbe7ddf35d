package shop;

import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.client.RestClient;

/** An application's class that calls; in a package of its own, as an application's is. */
public class Till {
  private final RestClient client;

  public Till(RestClient client) {
    this.client = client;
  }

  protected Till() {
    throw new IllegalStateException("for proxies");
  }

  public void pay() {
    client.get().uri("/pay?card=4711").retrieve().toBodilessEntity();
  }

  @Retryable(maxRetries = 1, delay = 1)
  public void payAgain() {
    client.get().uri("/pay").retrieve().toBodilessEntity();
  }

  public void payByTemplate() throws RetryException {
    RetryPolicy twice = RetryPolicy.builder().maxRetries(1).delay(java.time.Duration.ZERO).build();
    new RetryTemplate(twice).execute(() -> client.get().uri("/pay").retrieve().toBodilessEntity());
  }
}
