package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.boot.SteadfastProperties.Library;
import java.net.http.HttpClient;
import java.util.Locale;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;

/** The {@link ServiceGroups} of WebFlux. */
record ReactiveServiceGroups(SteadfastClients clients, BootClients boot)
    implements WebClientHttpServiceGroupConfigurer {
  @Override
  public void configureGroups(Groups<WebClient.Builder> groups) {
    groups.forEachClient((group, builder) ->
        clients.forGroup(
            group.name(),
            boot,
            (client, requests) -> {
              needJdk(client, "the HTTP service group, which uses WebClient");
              connect(builder, client, requests, "the HTTP service group " + group.name());
            }));
  }

  /** Ends the start if a client sends through a library that has no connector. */
  static void needJdk(SteadfastClient client, String what) {
    if (client.library() != Library.JDK) {
      String named = client.library().name().toLowerCase(Locale.ROOT);
      throw ClientAssembly.wrong(
          client.name(), "library", named, "needed for " + what + " (expected: jdk)");
    }
  }

  /** Has a builder send through a client of {@code java.net.http}. */
  static void connect(
      WebClient.Builder builder,
      SteadfastClient client,
      ClientHttpRequestFactory requests,
      String what) {
    if (client.mayReplace(builder, Senders.CONNECTOR, what)) {
      client.needNoNamedConnector();
      HttpClient http = ((RetryingJdkRequestFactory) requests).client();
      builder.clientConnector(client.senders().own(new JdkClientHttpConnector(http)));
    }
  }

  /** Sees which connectors Boot has made for groups, before anything replaces them. */
  record AfterBoot(Senders senders) implements WebClientHttpServiceGroupConfigurer {
    @Override
    public int getOrder() {
      return ServiceGroups.AfterBoot.ORDER;
    }

    @Override
    public void configureGroups(Groups<WebClient.Builder> groups) {
      groups.forEachClient((group, builder) -> senders.madeByBoot(builder, Senders.CONNECTOR));
    }
  }
}
