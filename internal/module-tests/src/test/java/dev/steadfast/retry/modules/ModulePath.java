package dev.steadfast.retry.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The class path of these tests, seen as modules. */
final class ModulePath {
  private static final List<Path> ALL =
      Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(Path::of)
          .filter(path -> !path.endsWith("test-classes"))
          .filter(path -> !ModuleFinder.of(path).findAll().isEmpty())
          .toList();

  private ModulePath() {}

  /** All modules. */
  static List<Path> all() {
    return ALL;
  }

  /** All modules that an application needs: not what its tests run on. */
  static List<Path> everything() {
    Stream<String> ofTests =
        Stream.of("org.junit", "org.opentest4j", "org.apiguardian", "dev.steadfast.retry.tck");
    List<String> excluded = ofTests.toList();
    return ALL.stream()
        .filter(path -> excluded.stream().noneMatch(descriptor(path).name()::startsWith))
        .toList();
  }

  /** The paths of these modules, each of which must be there. */
  static List<Path> only(String... modules) {
    Set<String> names = Set.of(modules);
    List<Path> paths =
        ALL.stream().filter(path -> names.contains(descriptor(path).name())).toList();
    assertEquals(names.size(), paths.size(), paths::toString);
    return paths;
  }

  static ModuleReference module(String name) {
    return ModuleFinder.of(only(name).get(0)).find(name).orElseThrow();
  }

  static ModuleDescriptor descriptor(Path path) {
    return ModuleFinder.of(path).findAll().iterator().next().descriptor();
  }
}
