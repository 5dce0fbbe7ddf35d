package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.method;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withServiceUnavailable;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.spring.RetryingJdkRequestFactory;
import dev.steadfast.retry.spring.RetryingOkHttpRequestFactory;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.http.HttpClient;
import java.util.List;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.test.MockServerRestClientCustomizer;
import org.springframework.boot.restclient.test.MockServerRestTemplateCustomizer;
import org.springframework.boot.restclient.test.autoconfigure.AutoConfigureMockRestServiceServer;
import org.springframework.boot.restclient.test.autoconfigure.RestClientTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/** What a test has bound to a mock server stays bound: no request leaves the process. */
final class MockServerTest {
  @HttpExchange("/payments")
  interface Payments {
    @PostExchange
    String pay();
  }

  @Configuration(proxyBeanMethods = false)
  @ImportHttpServices(group = "payments", types = Payments.class)
  static class Groups {}

  /** The service that must not be called. */
  private static final ScriptedServer REAL = ScriptedServer.start();

  static void properties(DynamicPropertyRegistry properties) {
    properties.add("spring.http.serviceclient.payments.base-url", () -> REAL.uri("").toString());
    properties.add("steadfast.clients.payments.policy", () -> "backoff=none; maxAttempts=3");
    properties.add("steadfast.clients.payments.idempotency", () -> "random-uuid");
  }

  @AfterEach
  void nothingLeftTheProcess() {
    assertEquals(0, REAL.requests().size());
  }

  private static void expectPayment(MockRestServiceServer mock) {
    mock.expect(requestTo(REAL.uri("/payments")))
        .andExpect(method(HttpMethod.POST))
        .andRespond(withSuccess("mocked", MediaType.TEXT_PLAIN));
  }

  private static String pay(RestClient client) {
    return client.post().uri("/payments").retrieve().body(String.class);
  }

  static List<ClientHttpRequestFactory> ofSteadfast() {
    return List.of(
        RetryingJdkRequestFactory.wrap(HttpClient.newHttpClient(), HttpRetry.defaults()),
        RetryingOkHttpRequestFactory.wrap(new OkHttpClient(), HttpRetry.defaults()));
  }

  @ParameterizedTest
  @MethodSource("ofSteadfast")
  void withoutBoot_aBoundBuilderOrTemplateStaysBound(ClientHttpRequestFactory requests) {
    RestClient.Builder builder = RestClient.builder().requestFactory(requests);
    expectPayment(MockRestServiceServer.bindTo(builder).build());
    assertEquals("mocked", pay(builder.baseUrl(REAL.uri("").toString()).build()));
    RestTemplate template = new RestTemplate(requests);
    expectPayment(MockRestServiceServer.bindTo(template).build());
    assertEquals("mocked", template.postForObject(REAL.uri("/payments"), null, String.class));
  }

  @Nested
  @SpringBootTest(
      classes = {App.Empty.class, Groups.class},
      webEnvironment = SpringBootTest.WebEnvironment.NONE)
  @AutoConfigureMockRestServiceServer
  class AGroup {
    @Autowired Payments payments;
    @Autowired MockRestServiceServer mock;

    @DynamicPropertySource
    static void set(DynamicPropertyRegistry properties) {
      properties(properties);
    }

    @Test
    void staysBound() {
      expectPayment(mock);
      assertEquals("mocked", payments.pay());
      mock.verify();
    }

    @Test
    void doesNotRetry() {
      mock.expect(requestTo(REAL.uri("/payments"))).andRespond(withServiceUnavailable());
      assertThrows(HttpServerErrorException.ServiceUnavailable.class, payments::pay);
      mock.verify();
    }
  }

  @Nested
  @SpringBootTest(
      classes = App.Empty.class,
      webEnvironment = SpringBootTest.WebEnvironment.NONE,
      properties = "steadfast.clients.payments.library=okhttp")
  @AutoConfigureMockRestServiceServer
  class ABuilder {
    @Autowired SteadfastClients clients;
    @Autowired MockServerRestClientCustomizer mocks;

    @DynamicPropertySource
    static void set(DynamicPropertyRegistry properties) {
      properties(properties);
    }

    @Test
    void staysBound() {
      RestClient.Builder builder = clients.get("payments").restClient();
      expectPayment(mocks.getServer(builder));
      assertEquals("mocked", pay(builder.build()));
    }

    @Test
    void canBeBoundByHand() {
      RestClient.Builder builder = clients.get("payments").restClient();
      expectPayment(MockRestServiceServer.bindTo(builder).build());
      assertEquals("mocked", pay(builder.build()));
    }
  }

  @Nested
  @SpringBootTest(
      classes = App.Empty.class,
      webEnvironment = SpringBootTest.WebEnvironment.NONE,
      properties = "steadfast.default-client=payments")
  @AutoConfigureMockRestServiceServer
  class BuildersOfBootWithADefaultClient {
    @Autowired RestClient.Builder builder;
    @Autowired RestTemplateBuilder templates;
    @Autowired MockServerRestClientCustomizer mocks;
    @Autowired MockServerRestTemplateCustomizer mocksOfTemplates;

    @DynamicPropertySource
    static void set(DynamicPropertyRegistry properties) {
      properties(properties);
    }

    @Test
    void stayBound() {
      expectPayment(mocks.getServer(builder));
      assertEquals("mocked", pay(builder.baseUrl(REAL.uri("").toString()).build()));
    }

    @Test
    void stayBound_templates() {
      RestTemplate template = templates.build();
      expectPayment(mocksOfTemplates.getServer(template));
      assertEquals("mocked", template.postForObject(REAL.uri("/payments"), null, String.class));
    }
  }

  @Nested
  @RestClientTest
  @ContextConfiguration(classes = Groups.class)
  @ImportAutoConfiguration({
    HttpServiceClientPropertiesAutoConfiguration.class,
    SteadfastAutoConfiguration.class
  })
  class ASlice {
    @Autowired SteadfastClients clients;
    @Autowired MockRestServiceServer mock;

    @DynamicPropertySource
    static void set(DynamicPropertyRegistry properties) {
      properties(properties);
    }

    @Test
    void staysBound() {
      RestClient client = clients.get("payments").restClient().build();
      expectPayment(mock);
      assertEquals("mocked", pay(client));
    }
  }
}
