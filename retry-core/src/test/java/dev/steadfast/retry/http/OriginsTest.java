package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.URI;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OriginsTest {

  /** More origins than are kept, in any order. */
  @Test
  void anOriginIsThatOfItsParts() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      String scheme = random.nextBoolean() ? "http" : "https";
      String host = "h" + random.nextInt(50);
      int port = 1 + random.nextInt(20);
      assertEquals(scheme + "://" + host + ":" + port, RequestView.origin(scheme, host, port));
    }
  }

  @Test
  void theTextOfAnOriginIsMadeOnce() {
    String first = RequestView.origin("https", "one.example", 443);
    assertSame(first, RequestView.origin("https", new String("one.example"), 443));
    assertSame(first, Origins.of(URI.create("HTTPS://One.Example/x")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          https://api.example/                | https://api.example:443
          https://api.example:443             | https://api.example:443
          HTTPS://API.Example/x?y#z           | https://api.example:443
          http://api.example                  | http://api.example:80
          http://api.example:80/              | http://api.example:80
          http://api.example:/                | http://api.example:80
          http://api.example:443/             | http://api.example:443
          http://api.example:0/               | http://api.example:0
          https://api.example:80/             | https://api.example:80
          https://user:hush@api.example/      | https://api.example:443
          http://[2001:DB8::A]/               | http://[2001:db8::a]:80
          https://[2001:db8::a]:8443/         | https://[2001:db8::a]:8443
          https://u@[::1]/                    | https://[::1]:443
          http://127.0.0.1:8080/              | http://127.0.0.1:8080
          http://order_service/x              | http://order_service:80
          https://Order_Service/x             | https://order_service:443
          http://order_service:8080/x         | http://order_service:8080
          http://order_service:/x             | http://order_service:80
          http://user:hush@order_service:81/x | http://order_service:81
          http://user:hush@order_service/x    | http://order_service:80
          """)
  void spellingsOfOneOriginAreOne(String uri, String expected) {
    assertEquals(expected, Origins.of(URI.create(uri)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          https://user:hush@Api.Example/Pay/7?token=hush#hush | POST https://api.example:443/Pay/7
          http://api.example                                  | POST http://api.example:80
          http://api.example/a%20b%0Ac?q                      | POST http://api.example:80/a%20b%0Ac
          """)
  void aLabelHasNeitherUserInfoNorQuery(String uri, String expected) {
    assertEquals(expected, Origins.label(TestRequest.of("POST", uri)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          mailto:a@b | mailto://null:80
          /relative  | null://null:80
          """)
  void whatIsNoTargetDoesNotThrow(String uri, String expected) {
    assertEquals(expected, Origins.of(URI.create(uri)));
  }
}
