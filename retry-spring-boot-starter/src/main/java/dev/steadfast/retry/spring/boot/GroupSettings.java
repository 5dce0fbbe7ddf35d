package dev.steadfast.retry.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.http.client.autoconfigure.ApiversionProperties;
import org.springframework.boot.http.client.autoconfigure.HttpClientProperties;
import org.springframework.boot.http.client.autoconfigure.PropertiesApiVersionInserter;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * The settings of requests in {@code spring.http.serviceclient.<name>}, read as Boot does for
 * groups.
 */
final class GroupSettings {
  private GroupSettings() {}

  static RestClient.Builder apply(@Nullable HttpClientProperties group, RestClient.Builder to) {
    if (group != null) {
      ApiversionProperties version = group.getApiversion();
      PropertyMapper map = PropertyMapper.get();
      map.from(group::getBaseUrl).whenHasText().to(to::baseUrl);
      map.from(group::getDefaultHeader)
          .to(headers -> to.defaultHeaders(all -> all.putAll(headers)));
      map.from(version::getDefaultVersion).to(to::defaultApiVersion);
      map.from(version::getInsert).as(PropertiesApiVersionInserter::get).to(to::apiVersionInserter);
    }
    return to;
  }

  static WebClient.Builder apply(@Nullable HttpClientProperties group, WebClient.Builder to) {
    if (group != null) {
      ApiversionProperties version = group.getApiversion();
      PropertyMapper map = PropertyMapper.get();
      map.from(group::getBaseUrl).whenHasText().to(to::baseUrl);
      map.from(group::getDefaultHeader)
          .to(headers -> to.defaultHeaders(all -> all.putAll(headers)));
      map.from(version::getDefaultVersion).to(to::defaultApiVersion);
      map.from(version::getInsert).as(PropertiesApiVersionInserter::get).to(to::apiVersionInserter);
    }
    return to;
  }
}
