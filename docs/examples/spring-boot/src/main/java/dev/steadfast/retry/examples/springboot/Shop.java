package dev.steadfast.retry.examples.springboot;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.service.registry.ImportHttpServices;

/** The application: takes orders, and has them paid by another service. */
// region boot-application
@SpringBootApplication
@ImportHttpServices(group = "payments", types = Payments.class)
class Shop {
  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }
}
// endregion
