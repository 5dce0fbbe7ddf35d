package dev.steadfast.retry.modules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints the public API of a module: each type on a line, and its members indented below it. The
 * text is the same on every JDK.
 */
final class PublicApi {
  private static final int SHOWN_MODIFIERS =
      Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT;
  private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

  private PublicApi() {}

  static List<String> of(ModuleReference module) throws IOException {
    Set<String> exported =
        module.descriptor().exports().stream()
            .filter(each -> !each.isQualified())
            .map(each -> each.source())
            .collect(Collectors.toSet());
    try (ModuleReader reader = module.open()) {
      return reader
          .list()
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
          .filter(name -> exported.contains(name.substring(0, name.lastIndexOf('.'))))
          .sorted()
          .map(PublicApi::load)
          .filter(PublicApi::visible)
          .flatMap(PublicApi::lines)
          .collect(Collectors.toList());
    } catch (UncheckedIOException unreadable) {
      throw unreadable.getCause();
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, PublicApi.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  // A nested type is as visible as the least visible of the types around it.
  private static boolean visible(Class<?> type) {
    if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
      return false;
    }
    Class<?> around = type.getDeclaringClass();
    return shown(type.getModifiers()) && (around == null || visible(around));
  }

  private static boolean shown(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static Stream<String> lines(Class<?> type) {
    Stream<String> fields =
        Stream.of(type.getDeclaredFields())
            .filter(each -> shown(each.getModifiers()) && !each.isSynthetic())
            .map(PublicApi::line);
    Stream<String> constructors =
        Stream.of(type.getDeclaredConstructors())
            .filter(each -> shown(each.getModifiers()) && !each.isSynthetic())
            .map(PublicApi::line);
    Predicate<Method> ofItsOwn = each -> !OF_EVERY_OBJECT.contains(each.getName());
    Stream<String> methods =
        Stream.of(type.getDeclaredMethods())
            .filter(each -> shown(each.getModifiers()) && !each.isSynthetic())
            .filter(ofItsOwn)
            .map(PublicApi::line);
    Stream<String> members =
        Stream.of(fields, constructors, methods).flatMap(each -> each).sorted().map("  "::concat);
    return Stream.concat(Stream.of(header(type)), members);
  }

  private static String header(Class<?> type) {
    int modifiers = type.getModifiers() & SHOWN_MODIFIERS;
    if (type.isInterface() || type.isEnum() || type.isRecord()) {
      modifiers &= ~(Modifier.ABSTRACT | Modifier.FINAL | Modifier.STATIC);
    }
    String kind =
        type.isAnnotation()
            ? "@interface"
            : type.isInterface()
                ? "interface"
                : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    Type parent = type.getGenericSuperclass();
    boolean plain = parent == null || type.isEnum() || type.isRecord() || parent == Object.class;
    return Modifier.toString(modifiers)
        + " "
        + kind
        + " "
        + type.getName()
        + variables(type.getTypeParameters())
        + (plain ? "" : " extends " + parent.getTypeName())
        + list(" implements ", type.getGenericInterfaces())
        + (type.isSealed() ? list(" permits ", visibleOnes(type.getPermittedSubclasses())) : "");
  }

  // Sorted, because compilers write them in different orders.
  private static Type[] visibleOnes(Class<?>[] types) {
    return Arrays.stream(types)
        .filter(PublicApi::visible)
        .sorted(Comparator.comparing(Class::getName))
        .toArray(Type[]::new);
  }

  private static String line(Field field) {
    return prefix(field.getModifiers())
        + field.getGenericType().getTypeName()
        + " "
        + field.getName();
  }

  private static String line(Constructor<?> constructor) {
    return prefix(constructor.getModifiers())
        + variables(constructor.getTypeParameters())
        + "<init>"
        + signature(constructor);
  }

  private static String line(Method method) {
    String variables = variables(method.getTypeParameters());
    return prefix(method.getModifiers())
        + (method.isDefault() ? "default " : "")
        + (variables.isEmpty() ? "" : variables + " ")
        + method.getGenericReturnType().getTypeName()
        + " "
        + method.getName()
        + signature(method);
  }

  private static String prefix(int modifiers) {
    String text = Modifier.toString(modifiers & SHOWN_MODIFIERS);
    return text.isEmpty() ? "" : text + " ";
  }

  private static String signature(Executable executable) {
    return "("
        + names(executable.getGenericParameterTypes())
        + ")"
        + list(" throws ", executable.getGenericExceptionTypes());
  }

  private static String variables(TypeVariable<?>[] variables) {
    return variables.length == 0
        ? ""
        : Arrays.stream(variables)
            .map(each -> each.getName() + bounds(each.getBounds()))
            .collect(Collectors.joining(", ", "<", ">"));
  }

  private static String bounds(Type[] bounds) {
    return bounds.length == 1 && bounds[0] == Object.class ? "" : list(" extends ", bounds);
  }

  private static String list(String before, Type[] types) {
    return types.length == 0 ? "" : before + names(types);
  }

  private static String names(Type[] types) {
    return Arrays.stream(types).map(Type::getTypeName).collect(Collectors.joining(", "));
  }
}
