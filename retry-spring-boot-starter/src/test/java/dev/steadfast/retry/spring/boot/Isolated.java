package dev.steadfast.retry.spring.boot;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.springframework.util.ClassUtils;

/** Runs a program of the tests on another class path, in a class loader of its own. */
final class Isolated {
  private Isolated() {}

  /** The class path of the tests. */
  static List<URL> classPath() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(new File(each).toURI().toURL());
    }
    return urls;
  }

  /** What the method {@code main} of a program leaves in its field {@code told}. */
  static String run(List<URL> classPath, Class<?> program, String... arguments) throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      Class<?> isolated = loader.loadClass(program.getName());
      isolated.getMethod("main", String[].class).invoke(null, (Object) arguments);
      return (String) isolated.getField("told").get(null);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  /** Called by programs: a JVM has one such factory, and that of another loader is there. */
  static void withoutTomcatsUrls() {
    if (ClassUtils.isPresent("org.apache.catalina.startup.Tomcat", null)) {
      TomcatURLStreamHandlerFactory.disable();
    }
  }
}
