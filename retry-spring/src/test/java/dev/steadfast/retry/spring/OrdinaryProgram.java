package dev.steadfast.retry.spring;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.BufferingClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StreamUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * Programs that use Spring's clients as most applications do. Each gives what its caller gets; an
 * exception is what the caller gets, too.
 */
enum OrdinaryProgram {
  GET_TEXT(client -> client.rest().get().uri("/text").retrieve().toEntity(String.class)),
  GET_JSON(client -> client.rest().get().uri("/json").retrieve().body(Map.class)),
  GET_NOTHING(client -> client.rest().get().uri("/empty").retrieve().toEntity(String.class)),
  GET_NO_CONTENT(client -> client.rest().get().uri("/204").retrieve().toBodilessEntity()),
  GET_BROKEN_JSON(client -> client.rest().get().uri("/broken").retrieve().body(Map.class)),
  GET_RESOURCE(client -> {
    Resource read = client.rest().get().uri("/text").retrieve().body(Resource.class);
    return read == null ? null : read.getContentAsString(StandardCharsets.UTF_8);
  }),
  PACKED_TEXT(client -> {
    ResponseEntity<String> read =
        client.rest().get().uri("/packed").retrieve().toEntity(String.class);
    return read.getHeaders().getFirst("Content-Encoding") + " " + read.getBody();
  }),
  PACKED_BYTES(client ->
      new String(
          client.rest().get().uri("/packed").retrieve().body(byte[].class),
          StandardCharsets.UTF_8)),
  PACKED_UNREAD(client -> {
    client.rest().get().uri("/packed").retrieve().toBodilessEntity();
    return client.rest().get().uri("/text").retrieve().body(String.class);
  }),
  PACKED_HEAD(client ->
      client
          .rest()
          .head()
          .uri("/packed")
          .retrieve()
          .toBodilessEntity()
          .getHeaders()
          .getFirst("X-Answer")),
  PACKED_ERROR(client -> client.rest().get().uri("/packed/404").retrieve().body(String.class)),
  TEMPLATE_PACKED(client -> client.template().getForObject(client.url("/packed"), String.class)),
  ENCODED_TARGET(client ->
      client
          .rest()
          .get()
          .uri("/text/{name}?q={q}", "a b/c", "x&y=ä")
          .retrieve()
          .body(String.class)),
  HEADERS_AND_COOKIES(client ->
      client
          .rest()
          .get()
          .uri("/text")
          .header("X-Shop", "1", "2")
          .headers(headers -> headers.setBasicAuth("ann", "secret"))
          .cookie("a", "b")
          .accept(MediaType.TEXT_PLAIN, MediaType.APPLICATION_JSON)
          .retrieve()
          .toBodilessEntity()
          .getStatusCode()),
  TWO_COOKIE_HEADERS(client ->
      client
          .rest()
          .get()
          .uri("/text")
          .header("Cookie", "a=b", "c=d")
          .retrieve()
          .body(String.class)),
  GET_WITH_AN_EMPTY_BODY(client ->
      client
          .rest()
          .method(HttpMethod.GET)
          .uri("/text")
          .body(new byte[0])
          .retrieve()
          .body(String.class)),
  DELETE_WITH_AN_EMPTY_BODY(client ->
      client
          .rest()
          .method(HttpMethod.DELETE)
          .uri("/text")
          .body(new byte[0])
          .retrieve()
          .body(String.class)),
  HEAD(client -> client.rest().head().uri("/text").retrieve().toBodilessEntity()),
  OPTIONS(client -> client.rest().options().uri("/text").retrieve().toBodilessEntity()),
  DELETE_WITH_BODY(client ->
      client
          .rest()
          .method(HttpMethod.DELETE)
          .uri("/text")
          .body("gone")
          .retrieve()
          .toEntity(String.class)),
  POST_CHUNKED_BY_THE_CALLER(client ->
      post(client)
          .header("Transfer-Encoding", "chunked")
          .body("tea")
          .retrieve()
          .body(String.class)),
  POST_TEXT(client -> post(client).body("tea").retrieve().body(String.class)),
  POST_JSON(client -> post(client).body(Map.of("cents", 7)).retrieve().body(String.class)),
  POST_NOTHING(client -> post(client).retrieve().body(String.class)),
  POST_BYTES(client -> post(client).body(new byte[] {1, 2, 3}).retrieve().body(String.class)),
  POST_STREAM(client ->
      post(client)
          .contentType(MediaType.APPLICATION_OCTET_STREAM)
          .body(new InputStreamResource(new ByteArrayInputStream(new byte[3000])))
          .retrieve()
          .body(String.class)),
  POST_LONG_STREAM(client ->
      post(client)
          .contentType(MediaType.APPLICATION_OCTET_STREAM)
          .body(out -> out.write(new byte[3 << 20]))
          .retrieve()
          .body(String.class)),
  POST_BODY_THAT_CLOSES(client ->
      post(client)
          .contentType(MediaType.TEXT_PLAIN)
          .body(out -> {
            out.write("closed".getBytes(StandardCharsets.UTF_8));
            out.close();
          })
          .retrieve()
          .body(String.class)),
  POST_BODY_THAT_FAILS(client ->
      post(client)
          .body(out -> {
            throw new IOException("no ink");
          })
          .retrieve()
          .body(String.class)),
  POST_FORM(client -> post(client).body(form("a", "b c")).retrieve().body(String.class)),
  PATCH(client -> client.rest().patch().uri("/text").body("x").retrieve().body(String.class)),
  NOT_FOUND(client -> client.rest().get().uri("/404").retrieve().body(String.class)),
  NOT_FOUND_IS_FINE(client ->
      client
          .rest()
          .get()
          .uri("/404")
          .retrieve()
          .onStatus(HttpStatusCode::isError, (request, response) -> {})
          .toEntity(String.class)),
  NOT_FOUND_IS_MINE(client ->
      client
          .rest()
          .get()
          .uri("/404")
          .retrieve()
          .onStatus(
              HttpStatusCode::isError,
              (request, response) -> {
                throw new IllegalStateException(text(response));
              })
          .toEntity(String.class)),
  ERROR_OF_THE_SERVER(
      client -> client.rest().post().uri("/500").body("x").retrieve().body(String.class)),
  EXCHANGE(client ->
      client
          .rest()
          .get()
          .uri("/404")
          .exchange((request, response) -> response.getStatusText() + " " + text(response))),
  EXCHANGE_UNREAD(client ->
      client.rest().get().uri("/text").exchange((request, response) -> response.getStatusCode())),
  REDIRECTED_GET(client -> client.rest().get().uri("/302").retrieve().body(String.class)),
  REDIRECTED_POST(
      client -> client.rest().post().uri("/303").body("x").retrieve().body(String.class)),
  INTERCEPTED(client ->
      client
          .rest()
          .mutate()
          .requestInterceptor((request, body, execution) -> {
            request.getHeaders().add("X-Length", String.valueOf(body.length));
            return execution.execute(request, body);
          })
          .build()
          .post()
          .uri("/text")
          .body("x")
          .retrieve()
          .body(String.class)),
  BUFFERED(client ->
      new RestTemplate(new BufferingClientHttpRequestFactory(client.requests()))
          .execute(
              client.url("/text"),
              HttpMethod.GET,
              request -> {},
              response -> text(response) + text(response))),
  TWENTY_IN_A_ROW(client -> {
    for (int i = 0; i < 20; i++) {
      client.rest().get().uri("/text").retrieve().body(String.class);
    }
    return "done";
  }),
  LONG_TEXTS(client -> {
    int length = 0;
    for (int i = 0; i < 5; i++) {
      length += client.rest().get().uri("/long").retrieve().body(String.class).length();
      length += client.rest().get().uri("/long").retrieve().body(byte[].class).length;
    }
    return length;
  }),
  UNREAD_IN_A_ROW(client -> {
    for (int i = 0; i < 5; i++) {
      client.rest().get().uri("/text").retrieve().toBodilessEntity();
      client.rest().get().uri("/chunks").retrieve().toBodilessEntity();
      client
          .rest()
          .get()
          .uri("/chunks/404")
          .retrieve()
          .onStatus(HttpStatusCode::isError, (request, response) -> {})
          .toBodilessEntity();
    }
    return "done";
  }),
  TEMPLATE_GET(client -> client.template().getForEntity(client.url("/text"), String.class)),
  TEMPLATE_POST(
      client -> client.template().postForObject(client.url("/text"), Map.of("a", 1), String.class)),
  TEMPLATE_LOCATION(client -> client.template().postForLocation(client.url("/created"), "x")),
  TEMPLATE_ALLOWED(client -> client.template().optionsForAllow(client.url("/text"))),
  TEMPLATE_ERROR(client -> client.template().getForObject(client.url("/404"), String.class)),
  TEMPLATE_STREAM(client ->
      client
          .template()
          .execute(client.url("/text"), HttpMethod.GET, request -> {}, OrdinaryProgram::text)),
  TEMPLATE_MULTIPART(client -> {
    MultiValueMap<String, Object> form = new LinkedMultiValueMap<>();
    form.add("order", "4711");
    form.add("bill", new ByteArrayResource(new byte[] {1, 2, 3}));
    return client.template().postForObject(client.url("/parts"), form, String.class);
  }),
  INTERFACE(client -> {
    Shop shop =
        HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client.rest()))
            .build()
            .createClient(Shop.class);
    return List.of(shop.read("a b", "7"), shop.write(Map.of("a", 1)).getStatusCode());
  }),
  INTERFACE_ERROR(client ->
      HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client.rest()))
          .build()
          .createClient(Shop.class)
          .missing());

  @HttpExchange
  interface Shop {
    @GetExchange("/text/{name}")
    String read(@PathVariable("name") String name, @RequestHeader("X-Shop") String shop);

    @PostExchange("/text")
    ResponseEntity<Void> write(@RequestBody Map<String, Integer> order);

    @GetExchange("/404")
    String missing();
  }

  /** Spring's clients on one request factory. */
  record Client(ClientHttpRequestFactory requests, String baseUrl) {
    RestClient rest() {
      return RestClient.builder().requestFactory(requests).baseUrl(baseUrl).build();
    }

    RestTemplate template() {
      return new RestTemplate(requests);
    }

    String url(String path) {
      return baseUrl + path;
    }
  }

  private interface Code {
    Object run(Client client) throws Exception;
  }

  @SuppressWarnings("ImmutableEnumChecker") // the programs keep nothing
  private final Code code;

  OrdinaryProgram(Code code) {
    this.code = code;
  }

  /** Whether it reads a body that its server packs. */
  boolean readsPacked() {
    return name().contains("PACKED");
  }

  /** What the caller gets, as text. */
  String run(Client client) {
    try {
      Object result = code.run(client);
      return result instanceof ResponseEntity<?> entity
          ? entity.getStatusCode() + " " + named(entity.getHeaders()) + " " + entity.getBody()
          : String.valueOf(result);
    } catch (Exception thrown) {
      StringBuilder all = new StringBuilder();
      for (Throwable each = thrown; each != null; each = each.getCause()) {
        all.append(each.getClass().getName()).append(": ").append(each.getMessage()).append('\n');
      }
      return all.toString();
    }
  }

  private static String named(HttpHeaders headers) {
    return headers.getFirst("Content-Type") + " " + headers.getFirst("X-Answer");
  }

  private static RestClient.RequestBodySpec post(Client client) {
    return client.rest().post().uri("/text").contentType(MediaType.APPLICATION_JSON);
  }

  private static MultiValueMap<String, String> form(String name, String value) {
    MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
    form.add(name, value);
    return form;
  }

  private static String text(ClientHttpResponse response) throws IOException {
    return StreamUtils.copyToString(response.getBody(), StandardCharsets.UTF_8);
  }
}
