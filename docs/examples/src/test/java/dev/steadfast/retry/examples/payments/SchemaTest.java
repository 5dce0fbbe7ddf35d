package dev.steadfast.retry.examples.payments;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class SchemaTest {
  @Test
  void thePageShowsTheTableOfKeys() throws Exception {
    byte[] bytes = PaymentsServer.class.getResourceAsStream("schema.sql").readAllBytes();
    String schema = new String(bytes, StandardCharsets.UTF_8);
    String table = schema.substring(0, schema.indexOf(';') + 1);
    String page = Files.readString(Path.of("../idempotent-server.md"));
    assertTrue(page.contains("```sql\n" + table + "\n```\n"), table);
  }
}
