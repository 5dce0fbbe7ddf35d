package app;

import dev.steadfast.retry.RetryReport;

/** Reads the report of a failure in an application that has no java.net.http. */
public final class Main {
  public static void main(String[] arguments) {
    System.out.println(RetryReport.of(new java.io.IOException("none")).isPresent());
    System.out.println(ModuleLayer.boot().findModule("java.net.http").isPresent());
  }
}
