package dev.steadfast.retry.spring.boot;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;

/** Gives the HTTP service groups that have a client of their name that client. */
record ServiceGroups(SteadfastClients clients) implements RestClientHttpServiceGroupConfigurer {
  /** After Boot has applied its properties and the customizers of the application. */
  static final int AFTER_BOOT = 1;

  @Override
  public int getOrder() {
    return AFTER_BOOT;
  }

  @Override
  public void configureGroups(Groups<RestClient.Builder> groups) {
    groups.forEachClient((group, builder) -> {
      if (clients.names().contains(group.name())) {
        builder.requestFactory(clients.get(group.name()).requestFactory());
      }
    });
  }
}
