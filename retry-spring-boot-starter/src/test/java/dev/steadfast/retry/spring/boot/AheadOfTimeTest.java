package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** An application whose beans Spring has written as code, ahead of time. */
@Tag("laboratory")
final class AheadOfTimeTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  @Test
  void worksAsUsual(@TempDir Path made) throws Exception {
    String[] properties = {
      "steadfast.clients.pay.policy=maxAttempts=5; backoff=none",
      "steadfast.clients.pay.budget=0.3",
      "steadfast.scope.enabled=true",
      "spring.http.serviceclient.pay.base-url=" + server.uri("/"),
      "management.endpoints.web.exposure.include=steadfast",
      "server.port=0",
      "server.address=127.0.0.1",
      "spring.main.banner-mode=off",
      "logging.level.root=off"
    };
    AbstractAotProcessor.Settings settings =
        AbstractAotProcessor.Settings.builder()
            .sourceOutput(made.resolve("sources"))
            .resourceOutput(made.resolve("resources"))
            .classOutput(made.resolve("classes"))
            .groupId("shop")
            .artifactId("shop")
            .build();
    new SpringApplicationAotProcessor(AheadOfTimeShop.class, settings, properties).process();
    compile(made.resolve("sources"), made.resolve("classes"));
    Files.writeString(made.resolve("resources/spring.properties"), "spring.aot.enabled=true");
    try (Stream<Path> hints = Files.walk(made.resolve("resources/META-INF/native-image"))) {
      String all = Files.readString(hints.filter(Files::isRegularFile).findFirst().orElseThrow());
      assertTrue(all.contains("SteadfastProperties$Client"), all);
      assertTrue(all.contains("ClientWatch$GiveUp"), "what the endpoint writes");
      assertTrue(all.contains("DefaultRestClientBuilder"), "what senders are read from");
    }
    List<URL> classPath = Isolated.classPath();
    classPath.add(made.resolve("resources").toUri().toURL());
    classPath.add(made.resolve("classes").toUri().toURL());
    server.enqueue(Reply.status(503), Reply.status(200).body("paid"));
    assertEquals("paid 5", Isolated.run(classPath, AheadOfTimeShop.class, properties));
    assertEquals(2, server.requests().size());
  }

  private static void compile(Path sources, Path classes) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-parameters"));
    arguments.addAll(List.of("-d", classes.toString()));
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    try (Stream<Path> files = Files.walk(sources)) {
      files.map(Path::toString).filter(each -> each.endsWith(".java")).forEach(arguments::add);
    }
    Files.createDirectories(classes);
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertEquals(0, failed);
  }
}
