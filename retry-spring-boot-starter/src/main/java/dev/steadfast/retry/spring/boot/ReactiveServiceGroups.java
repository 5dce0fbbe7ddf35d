package dev.steadfast.retry.spring.boot;

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
        builder.clientConnector(new JdkClientHttpConnector(clients.get(group.name()).httpClient()));
      }
    });
  }
}
