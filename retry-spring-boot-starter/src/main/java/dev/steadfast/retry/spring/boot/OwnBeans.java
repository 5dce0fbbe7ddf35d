package dev.steadfast.retry.spring.boot;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Tells the beans of the application from those that Boot has made, in all parents as well. */
final class OwnBeans {
  private static final String BOOT = "org.springframework.boot.";

  private OwnBeans() {}

  /** The bean of a type that Boot uses, if the application has made it; null for none. */
  static <B> @Nullable NamedBeanHolder<B> find(
      ConfigurableListableBeanFactory beans, Class<B> type) {
    if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type).length == 0) {
      return null;
    }
    NamedBeanHolder<B> used = beans.resolveNamedBean(type);
    return isOfBoot(beans, used.getBeanName()) ? null : used;
  }

  static boolean isOfBoot(ConfigurableListableBeanFactory beans, String name) {
    try {
      Method made =
          beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
              ? definition.getResolvedFactoryMethod()
              : null;
      return made != null && made.getDeclaringClass().getName().startsWith(BOOT);
    } catch (NoSuchBeanDefinitionException registered) { // as an object
      return false;
    }
  }

  /** Whether an object is one of Boot's builders for a library, and no lambda. */
  static boolean isBuilderOfBoot(Object bean) {
    Class<?> type = bean.getClass();
    return type.getName().startsWith(BOOT) && Modifier.isPublic(type.getModifiers());
  }
}
