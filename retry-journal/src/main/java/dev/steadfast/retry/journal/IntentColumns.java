package dev.steadfast.retry.journal;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.StorageCodec.Part;
import dev.steadfast.retry.journal.StorageCodec.Place;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.net.URI;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The columns of the request that is sent. */
final class IntentColumns {
  /** The columns that {@link #set} sets, in its order. */
  static final String NAMES =
      "fingerprint, method, uri, origin, headers, body, repeatable, key_window_ms, key_header,"
          + " key_line, caller";

  /** A placeholder for each of them. */
  static final String PLACES = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";

  /** Changes all of them. An enlisted operation keeps its body, because resuming needs it. */
  static final String CHANGES =
      "fingerprint = ?, method = ?, uri = ?, origin = ?, headers = ?,"
          + " body = coalesce(cast(? as bytea), case when deliver then body end),"
          + " repeatable = ?, key_window_ms = ?, key_header = ?, key_line = ?, caller = ?";

  /** The columns that {@link #read} reads. */
  static final String READ = "id, name, principal, op_key, " + NAMES;

  private static final int MOST_ORIGIN = 300;

  private IntentColumns() {}

  /**
   * Sets the columns; returns the index after them.
   *
   * @throws SQLException if the codec fails
   */
  static int set(PreparedStatement statement, int from, Intent intent, StoredForm storedForm)
      throws SQLException {
    OperationJournal.Id id = intent.id();
    Request request = intent.request();
    Terms terms = intent.terms();
    Journaling.Key key = terms.key();
    int i = from;
    statement.setString(
        i++, storedForm.text(new Place(id, Part.FINGERPRINT), intent.fingerprint()));
    statement.setString(i++, request.method());
    statement.setString(i++, storedForm.uri(id, request.uri()));
    statement.setString(i++, origin(request));
    String headers = HeaderText.write(request.content().headers());
    statement.setString(i++, storedForm.text(new Place(id, Part.REQUEST_HEADERS), headers));
    byte[] body = request.content().body().orElse(null);
    statement.setBytes(i++, storedForm.bytes(new Place(id, Part.REQUEST_BODY), body));
    statement.setString(i++, text(terms.safety()));
    Sql.setMillis(statement, i++, terms.window());
    statement.setString(i++, key == null ? null : key.header());
    statement.setString(
        i++, key == null ? null : storedForm.text(new Place(id, Part.KEY), key.line()));
    statement.setString(i++, intent.caller());
    return i;
  }

  // Operations to one origin share pauses and budgets. A name that is too long is cut off.
  private static String origin(Request request) {
    String origin = request.origin();
    return origin.length() > MOST_ORIGIN ? origin.substring(0, MOST_ORIGIN) : origin;
  }

  /**
   * Reads an operation.
   *
   * @throws CorruptRowException if a column has a value that cannot be sent
   */
  static Intent read(ResultSet row, StoredForm storedForm) throws SQLException {
    OperationJournal.Id id = StoredForm.id(row);
    byte[] body = storedForm.bytes(row, "body", Part.REQUEST_BODY);
    String headers = storedForm.text(row, "headers", Part.REQUEST_HEADERS);
    Content content =
        Sql.parsed(row, "headers", headers, text -> new Content(HeaderText.read(text), body));
    URI uri = Sql.parsed(row, "uri", storedForm.text(row, "uri", Part.URI), URI::create);
    Request request = new Request(row.getString("method"), uri, content);
    String caller = row.getString("caller");
    return new Intent(id, caller, request, fingerprint(row, storedForm), terms(row, storedForm));
  }

  static String fingerprint(ResultSet row, StoredForm storedForm) throws SQLException {
    String text = storedForm.text(row, "fingerprint", Part.FINGERPRINT);
    return Sql.parsed(row, "fingerprint", text, Function.identity());
  }

  private static Terms terms(ResultSet row, StoredForm storedForm) throws SQLException {
    long millis = row.getLong("key_window_ms");
    Duration window = row.wasNull() ? null : Duration.ofMillis(millis);
    return new Terms(safety(row), window, key(row, storedForm));
  }

  static Safety safety(ResultSet row) throws SQLException {
    return Sql.parse(
        row,
        "repeatable",
        text ->
            text.equals("never") ? Safety.UNSAFE : Safety.valueOf(text.toUpperCase(Locale.ROOT)));
  }

  private static String text(Safety safety) {
    return safety == Safety.UNSAFE ? "never" : safety.name().toLowerCase(Locale.ROOT);
  }

  static Journaling.@Nullable Key key(ResultSet row, StoredForm storedForm) throws SQLException {
    String header = row.getString("key_header");
    if (header == null) {
      return null;
    }
    String text = storedForm.text(row, "key_line", Part.KEY);
    return Sql.parsed(row, "key_line", text, line -> new Journaling.Key(header, checked(line)));
  }

  // A codec that decodes something else would have the request sent under no key, or another one.
  private static String checked(String line) {
    if (line.isEmpty() || line.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException("no key");
    }
    return line;
  }
}
