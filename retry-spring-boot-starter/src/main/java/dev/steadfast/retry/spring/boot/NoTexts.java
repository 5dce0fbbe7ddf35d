package dev.steadfast.retry.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Says what to write where a text stands in place of properties, as in {@code payments: stripe}.
 */
final class NoTexts extends AbstractBindHandler {
  private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("steadfast");

  NoTexts(BindHandler parent) {
    super(parent);
  }

  @Override
  public @Nullable Object onFailure(
      ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
      throws Exception {
    if (OURS.isAncestorOf(name) && error instanceof ConverterNotFoundException) {
      throw new IllegalArgumentException(
          "expected: no value, but properties whose names begin with " + name + ".");
    }
    return super.onFailure(name, target, context, error);
  }
}
