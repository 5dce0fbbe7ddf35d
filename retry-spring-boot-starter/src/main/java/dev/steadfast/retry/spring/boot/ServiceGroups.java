package dev.steadfast.retry.spring.boot;

import org.springframework.core.Ordered;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;

/**
 * Gives the HTTP service groups that have a client of their name that client, and those that have
 * settings of their own a default client with these settings. It comes last, so that it sees what
 * customizers of the application and of tests have set.
 */
record ServiceGroups(SteadfastClients clients, BootClients boot)
    implements RestClientHttpServiceGroupConfigurer {
  // Why it is like this: docs/decisions/mock-servers.md
  @Override
  public void configureGroups(Groups<RestClient.Builder> groups) {
    groups.forEachClient((group, builder) ->
        clients.forGroup(
            group.name(),
            boot,
            (client, requests) ->
                client.sendFor(builder, requests, "the HTTP service group " + group.name())));
  }

  /** Sees which request factories Boot has made for groups, before anything replaces them. */
  record AfterBoot(Senders senders) implements RestClientHttpServiceGroupConfigurer {
    /** Runs after Boot's configurer of properties. */
    static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 11;

    @Override
    public int getOrder() {
      return ORDER;
    }

    @Override
    public void configureGroups(Groups<RestClient.Builder> groups) {
      groups.forEachClient(
          (group, builder) -> senders.madeByBoot(builder, Senders.REQUEST_FACTORY));
    }
  }
}
