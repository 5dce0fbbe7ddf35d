package dev.steadfast.retry.spring.boot;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Starts applications of Boot. */
final class App {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Empty {}

  static final HttpClient CLIENT = HttpClient.newHttpClient();

  private App() {}

  /** An application without a web server. */
  static ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("spring.main.banner-mode=off");
    all.add(0, "logging.level.dev.steadfast.retry=info"); // another test may have switched it off
    return new SpringApplicationBuilder(Empty.class, configuration)
        .web(WebApplicationType.NONE)
        .properties(all.toArray(String[]::new))
        .run();
  }

  /** An application with a web server; its user is ann, with the password secret. */
  static ConfigurableApplicationContext serve(Class<?> configuration, String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.addAll(
        List.of(
            "spring.main.banner-mode=off",
            "server.port=0",
            "server.address=127.0.0.1",
            "spring.security.user.name=ann",
            "spring.security.user.password=secret"));
    return new SpringApplicationBuilder(Empty.class, configuration)
        .web(WebApplicationType.SERVLET)
        .properties(all.toArray(String[]::new))
        .run();
  }

  /** What the application answers to a request of ann's. */
  static HttpResponse<String> get(
      ConfigurableApplicationContext app, String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(app, path)).header("Authorization", "Basic YW5uOnNlY3JldA==");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  static URI uri(ConfigurableApplicationContext app, String path) {
    String port = app.getEnvironment().getProperty("local.server.port");
    return URI.create("http://127.0.0.1:" + port + path);
  }

  static ConfigurableApplicationContext start(String... properties) {
    return start(Empty.class, properties);
  }
}
