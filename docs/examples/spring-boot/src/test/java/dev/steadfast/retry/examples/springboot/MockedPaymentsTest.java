package dev.steadfast.retry.examples.springboot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import dev.steadfast.retry.examples.springboot.Payments.Payment;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.restclient.test.autoconfigure.AutoConfigureMockRestServiceServer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.MediaType;
import org.springframework.test.web.client.MockRestServiceServer;

@SpringBootTest(properties = "payments.url=http://payments.example")
@AutoConfigureMockRestServiceServer
class MockedPaymentsTest {
  @Test
  void pays(@Autowired Payments payments, @Autowired MockRestServiceServer server) {
    server
        .expect(requestTo("http://payments.example/payments"))
        .andRespond(withSuccess("{\"order\": \"7\"}", MediaType.APPLICATION_JSON));
    assertEquals("7", payments.pay(new Payment("7", 1999)).order());
  }
}
