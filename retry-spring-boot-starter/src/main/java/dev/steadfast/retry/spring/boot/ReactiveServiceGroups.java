package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;

/** As {@link ServiceGroups}, for groups of WebFlux. */
record ReactiveServiceGroups(SteadfastClients clients)
    implements WebClientHttpServiceGroupConfigurer {
  @Override
  public int getOrder() {
    return ServiceGroups.AFTER_BOOT;
  }

  @Override
  public void configureGroups(Groups<WebClient.Builder> groups) {
    groups.forEachClient((group, builder) -> {
      if (clients.names().contains(group.name())) {
        connect(builder, clients.get(group.name()), "the HTTP service group, which uses WebClient");
      }
    });
  }

  /** Gives a builder a client, which must not send through OkHttp. */
  static void connect(WebClient.Builder builder, SteadfastClient client, String what) {
    if (client.requestFactory() instanceof RetryingJdkRequestFactory jdk) {
      builder.clientConnector(new JdkClientHttpConnector(jdk.client()));
      return;
    }
    throw ClientAssembly.wrong(
        client.name(), "library", "okhttp", "needed for " + what + " (expected: jdk)");
  }
}
