package dev.steadfast.retry.journal;

import dev.steadfast.retry.journal.StorageCodec.Part;
import dev.steadfast.retry.journal.StorageCodec.Place;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Content;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The columns that hold the answer of the server, as they are stored. Immutable. */
final class AnswerColumns {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  /** The columns that {@link #read} reads. */
  static final String READ = "status, answer_headers, answer_body";

  private final @Nullable Long status; // null for no answer
  private final @Nullable String headers;
  private final byte @Nullable [] body; // null if it is not kept

  private AnswerColumns(@Nullable Long status, @Nullable String headers, byte @Nullable [] body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /**
   * An answer as it is stored. If the codec fails, only the status is kept: to lose the end of the
   * operation would be worse.
   *
   * @param answer null for none
   */
  static AnswerColumns of(OperationJournal.Id id, @Nullable Answer answer, StoredForm storedForm)
      throws SQLException {
    if (answer == null) {
      return new AnswerColumns(null, null, null);
    }
    long status = answer.status();
    Content content = answer.content();
    try {
      String headers = HeaderText.writeAnswer(content.headers());
      return new AnswerColumns(
          status,
          storedForm.text(new Place(id, Part.ANSWER_HEADERS), headers),
          storedForm.bytes(new Place(id, Part.ANSWER_BODY), content.body().orElse(null)));
    } catch (CodecException failed) {
      LOG.error("the answer of {} is not kept", id, failed);
      return new AnswerColumns(status, "", null);
    }
  }

  /** Sets the columns, in the order of {@link #READ}. */
  void set(PreparedStatement statement, int from) throws SQLException {
    Sql.setLong(statement, from, status);
    statement.setString(from + 1, headers);
    statement.setBytes(from + 2, body);
  }

  /**
   * Reads the answer; null if there is none.
   *
   * @throws CorruptRowException if it cannot be read
   */
  static @Nullable Answer read(ResultSet row, StoredForm storedForm) throws SQLException {
    int status = row.getInt("status");
    if (row.wasNull()) {
      return null;
    }
    byte[] body = storedForm.bytes(row, "answer_body", Part.ANSWER_BODY); // null if it was not kept
    String headers = storedForm.text(row, "answer_headers", Part.ANSWER_HEADERS);
    return Sql.parsed(
        row,
        "answer_headers",
        headers,
        text -> new Answer(status, new Content(HeaderText.read(text), body)));
  }

  /** Reads the answer for a claim: one that the codec cannot decode counts as not kept. */
  static @Nullable Answer readIfDecoded(ResultSet row, StoredForm storedForm) throws SQLException {
    try {
      return read(row, storedForm);
    } catch (CorruptRowException undecoded) {
      if (!undecoded.isEncoded()) {
        throw undecoded;
      }
      LOG.error("{}; its answer counts as not kept", undecoded.getMessage());
      return new Answer(row.getInt("status"), new Content(Map.of(), null));
    }
  }
}
