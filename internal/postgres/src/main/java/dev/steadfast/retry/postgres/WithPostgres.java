package dev.steadfast.retry.postgres;

import java.io.IOException;

/**
 * Runs main classes one after another on a PostgreSQL of their own, whose URL is their argument.
 * Exits with 0 if none of them throws.
 */
public final class WithPostgres {
  private WithPostgres() {}

  /**
   * Runs them.
   *
   * @param mains names of classes
   */
  public static void main(String[] mains) {
    int code = 0;
    try (PostgresServer postgres = PostgresServer.temporary()) {
      for (String main : mains) {
        Object arguments = new String[] {postgres.jdbcUrl()};
        Class.forName(main).getMethod("main", String[].class).invoke(null, arguments);
      }
    } catch (IOException | ReflectiveOperationException failed) {
      failed.printStackTrace(System.err);
      code = 1;
    }
    System.exit(code); // threads that are still there do not matter
  }
}
