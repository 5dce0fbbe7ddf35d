package dev.steadfast.retry.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The shipped jars as modules: in one application, in a linked image, and without java.net.http.
 */
class ModulePathTest {
  @TempDir Path work;

  @Test
  void anApplicationWithEveryModule_compilesAndRuns() throws Exception {
    ModularApp app = ModularApp.of("complete", work, ModulePath.everything());
    assertEquals("", app.compile("-Werror").succeeded());
    assertEquals(
        """
        java.net.http 2
        OkHttp 2
        HttpClient 5 2
        RestClient 2
        effects NEVER_SENT, READ_FAILED, status 204
        meters 5
        events 5
        traces dev.steadfast.retry.opentelemetry
        servlets dev.steadfast.retry.server\
        """,
        app.run().succeeded());
  }

  @Test
  void theSameApplication_runsOnOkHttp4() throws Exception {
    List<Path> modules = new ArrayList<>(ModulePath.everything());
    assertTrue(modules.removeIf(path -> ModulePath.descriptor(path).name().equals("okhttp3")));
    modules.add(okHttp4());
    ModularApp app = ModularApp.of("complete", work, modules);
    assertEquals("", app.compile("-Werror").succeeded());
    assertEquals(
        """
        java.net.http 2
        OkHttp 2
        HttpClient 5 2
        RestClient 2
        effects NEVER_SENT, READ_FAILED, status 204
        meters 5
        events 5
        traces dev.steadfast.retry.opentelemetry
        servlets dev.steadfast.retry.server\
        """,
        app.run().succeeded());
  }

  private static Path okHttp4() throws IOException {
    try (Stream<Path> jars = Files.list(Path.of(System.getProperty("steadfast.okhttp4")))) {
      Path jar = jars.filter(file -> file.toString().endsWith(".jar")).findFirst().orElseThrow();
      assertTrue(ModulePath.descriptor(jar).isAutomatic());
      return jar;
    }
  }

  @Test
  void coreClientAndServer_areLinkedIntoAnImage() throws Exception {
    ModularApp app =
        ModularApp.of(
            "linked",
            work,
            ModulePath.only(
                "dev.steadfast.retry",
                "dev.steadfast.retry.effects",
                "dev.steadfast.retry.httpclient",
                "dev.steadfast.retry.server",
                "org.slf4j",
                "org.slf4j.nop",
                "org.jspecify",
                "jakarta.servlet"));
    app.compile("-Werror").succeeded();
    Path image = work.resolve("image");
    app.link(image, "org.slf4j.nop").succeeded();
    assertEquals(
        "204 after 2 attempts\nNEVER_SENT, READ_FAILED, status 204",
        app.java(image, List.of("-m", "app/app.Main")).succeeded());
    String modules = app.java(image, List.of("--list-modules")).succeeded();
    assertFalse(modules.contains("jakarta.servlet"), modules);
  }

  /** A statement of the README: when it no longer holds, the README is to be mended. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev.steadfast.retry.apache5",
        "dev.steadfast.retry.okhttp",
        "dev.steadfast.retry.resilience4j",
        "dev.steadfast.retry.micrometer",
        "dev.steadfast.retry.opentelemetry",
        "dev.steadfast.retry.spring"
      })
  void automaticModulesCannotBeLinked(String module) throws Exception {
    ModularApp app = ModularApp.of("report", work, ModulePath.everything());
    app.compile().succeeded();
    ModularApp.Result linked = app.link(work.resolve("image"), module);
    assertTrue(
        linked.code() != 0
            && linked.printed().contains("automatic module cannot be used with jlink"),
        linked::printed);
  }

  @Test
  void anApplicationWithoutJavaNetHttp_readsAReport() throws Exception {
    ModularApp app =
        ModularApp.of(
            "report",
            work,
            ModulePath.only("dev.steadfast.retry", "org.slf4j", "org.slf4j.nop", "org.jspecify"));
    String present = "java.base,dev.steadfast.retry,org.slf4j,org.slf4j.nop,org.jspecify";
    app.compile("--limit-modules", present).succeeded();
    assertEquals("false\nfalse", app.run("--limit-modules", present + ",app").succeeded());
  }

  /** An adapter needs nothing that is not exported. */
  @Test
  void theExampleOfAnAdapter_runsTheTableAsAModule() throws Exception {
    Path example = Path.of("../../retry-adapter-tck/src/test/java/dev/steadfast/retry/tck/example");
    List<Path> sources =
        Stream.of("ExampleCall", "ExampleEntryPoint", "PlainClient", "PlainConnection")
            .map(name -> example.resolve(name + ".java"))
            .toList();
    ModularApp app = ModularApp.of("author", work, ModulePath.all()).with(sources);
    app.compile().succeeded();
    String printed = app.run().succeeded();
    assertTrue(printed.endsWith("passed"), printed);
  }

  @Test
  void whatIsInternal_isClosedToApplications() throws Exception {
    ModularApp app = ModularApp.of("intruder", work, ModulePath.everything());
    ModularApp.Result compiled = app.compile();
    assertTrue(
        compiled.code() != 0 && compiled.printed().contains("package dev.steadfast.retry.internal"),
        compiled::printed);
  }

  @Test
  void everyShippedJarHasADescriptor() {
    assertEquals(
        Set.of(
            "dev.steadfast.retry",
            "dev.steadfast.retry.apache5",
            "dev.steadfast.retry.effects",
            "dev.steadfast.retry.httpclient",
            "dev.steadfast.retry.jfr",
            "dev.steadfast.retry.journal",
            "dev.steadfast.retry.micrometer",
            "dev.steadfast.retry.journal.dbscheduler",
            "dev.steadfast.retry.okhttp",
            "dev.steadfast.retry.opentelemetry",
            "dev.steadfast.retry.operations",
            "dev.steadfast.retry.resilience4j",
            "dev.steadfast.retry.server",
            "dev.steadfast.retry.spring",
            "dev.steadfast.retry.spring.boot",
            "dev.steadfast.retry.tck",
            "dev.steadfast.retry.testkit"),
        ModulePath.all().stream()
            .map(ModulePath::descriptor)
            .filter(each -> !each.isAutomatic())
            .map(ModuleDescriptor::name)
            .filter(name -> name.startsWith("dev.steadfast"))
            .collect(Collectors.toSet()));
  }
}
