package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.URL;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications that lack a library which the starter makes use of. */
@Tag("laboratory")
final class ClassPathTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  /** The application. */
  public static final class Program {
    @Configuration(proxyBeanMethods = false)
    static class Shop {
      @Bean
      SteadfastClient pay(SteadfastClients clients) {
        return clients.get("pay");
      }
    }

    private Program() {}

    /** The answer to one request, and the beans of the starter. */
    public static String told;

    public static void main(String[] properties) {
      Isolated.withoutTomcatsUrls();
      SpringApplicationBuilder builder =
          new SpringApplicationBuilder(App.Empty.class, Shop.class)
              .registerShutdownHook(false)
              .properties(properties);
      try (ConfigurableApplicationContext app = builder.run()) {
        told =
            app.getBean(SteadfastClient.class)
                    .restClient()
                    .build()
                    .get()
                    .retrieve()
                    .body(String.class)
                + Stream.of(
                        "steadfastReactiveServiceGroups",
                        "steadfastScope",
                        "steadfastEndpoint",
                        "steadfastMeters")
                    .filter(app::containsBean)
                    .map(each -> each.replace("steadfast", " "))
                    .reduce("", String::concat);
      }
    }
  }

  private static final String MICROMETER =
      "micrometer-core micrometer-jakarta9 context-propagation" + " spring-boot-micrometer";
  private static final String ACTUATOR = "spring-boot-actuator spring-boot-health";
  private static final String OKHTTP = "okhttp okio kotlin-stdlib mockwebserver3";
  private static final String APACHE = "httpclient5 httpcore5";
  private static final String WEBFLUX = "spring-webflux spring-boot-webclient reactor-core";
  private static final String SERVLET =
      "jakarta.servlet-api tomcat spring-webmvc spring-boot-webmvc spring-boot-web-server"
          + " spring-boot-servlet";

  @ParameterizedTest
  @CsvSource({
    "resilience4j, paid ReactiveServiceGroups Scope Endpoint Meters",
    "spring-security spring-boot-security, paid ReactiveServiceGroups Scope Endpoint Meters",
    MICROMETER + ", paid ReactiveServiceGroups Scope Endpoint",
    ACTUATOR + ", paid ReactiveServiceGroups Scope Meters",
    OKHTTP + ", paid ReactiveServiceGroups Scope Endpoint Meters",
    APACHE + ", paid ReactiveServiceGroups Scope Endpoint Meters",
    WEBFLUX + ", paid Scope Endpoint Meters",
    SERVLET + ", paid ReactiveServiceGroups Endpoint Meters",
    OKHTTP
        + " "
        + APACHE
        + " "
        + WEBFLUX
        + " "
        + SERVLET
        + " "
        + ACTUATOR
        + " "
        + MICROMETER
        + ", paid"
  })
  void startsWithout(String absent, String expected) throws Exception {
    server.enqueue(Reply.status(503), Reply.status(200).body("paid"));
    String[] properties = {
      "steadfast.clients.pay.policy=backoff=none",
      "steadfast.scope.enabled=true",
      "spring.http.serviceclient.pay.base-url=" + server.uri("/"),
      "management.endpoints.web.exposure.include=steadfast",
      "server.port=0",
      "server.address=127.0.0.1",
      "spring.main.banner-mode=off",
      "logging.level.root=off"
    };
    List<URL> classPath = Isolated.classPath();
    classPath.removeIf(each -> Stream.of(absent.split(" ", -1)).anyMatch(each.getPath()::contains));
    assertEquals(expected, Isolated.run(classPath, Program.class, properties));
    assertEquals(2, server.requests().size());
  }
}
