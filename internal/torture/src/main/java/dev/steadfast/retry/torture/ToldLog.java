package dev.steadfast.retry.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Logs the calls of a client and what they returned. Each line is forced to the disk before the
 * caller continues. Safe for use by many threads.
 */
final class ToldLog {
  /** The kinds of lines. */
  enum Kind {
    /** A call begins. */
    INVOKED,
    /** A call has returned. */
    TOLD,
    /** A look-up at the server has settled an operation. */
    SETTLED,
    /** Another request under the name and key of an operation that had succeeded has returned. */
    CHANGED,
    /** A claim was granted: its token, and when it was asked for and known. */
    CLAIMED,
    /** A claim has noted how it ended: its token, and when it began to. */
    NOTED;

    /** Whether it belongs to the calls of the operation itself. */
    boolean ofCaller() {
      return this == INVOKED || this == TOLD;
    }
  }

  /** Between two times. */
  static final String TO = "-";

  /** In place of a word, if the call returned without a report. */
  static final String NO_WORD = "NO_WORD";

  /**
   * A line.
   *
   * @param word what was told, or the answer of the look-up; empty for INVOKED
   * @param note more about it, for people who look for a failure
   * @param answer the status and the body of the answer; empty for none
   */
  record Event(Kind kind, String intent, String word, String note, String answer) {
    String line() {
      return String.join(
          "\t",
          Long.toString(System.currentTimeMillis()),
          kind.name(),
          intent,
          word,
          note.replaceAll("\\s+", " "),
          answer.replaceAll("\\s+", " "),
          "."); // a line without it was cut short when the process died
    }

    static Optional<Event> of(String line) {
      String[] parts = line.split("\t", -1);
      return parts.length == 7 && parts[6].equals(".")
          ? Optional.of(new Event(Kind.valueOf(parts[1]), parts[2], parts[3], parts[4], parts[5]))
          : Optional.empty();
    }
  }

  private final Path file;
  private FileChannel channel;

  ToldLog(Path file) {
    this.file = file;
  }

  void invoked(String intent) {
    append(new Event(Kind.INVOKED, intent, "", "", ""));
  }

  void told(String intent, PaymentClient.Told told) {
    append(new Event(Kind.TOLD, intent, told.word(), told.note(), told.answer()));
  }

  void changed(String intent, PaymentClient.Told told) {
    append(new Event(Kind.CHANGED, intent, told.word(), told.note(), told.answer()));
  }

  void settled(String intent, String lookup) {
    append(new Event(Kind.SETTLED, intent, lookup, "", ""));
  }

  void claimed(String intent, String token, long askedMillis) {
    String times = askedMillis + TO + System.currentTimeMillis();
    append(new Event(Kind.CLAIMED, intent, token, times, ""));
  }

  void noted(String intent, String token, long beganMillis) {
    append(new Event(Kind.NOTED, intent, token, Long.toString(beganMillis), ""));
  }

  private synchronized void append(Event event) {
    try {
      if (channel == null) {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        write("\n"); // ends a line that was cut short
      }
      write(event.line() + "\n");
      channel.force(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** All that was ever written, also by earlier processes. */
  List<Event> read() {
    if (!Files.exists(file)) {
      return List.of();
    }
    try {
      List<Event> events = new ArrayList<>();
      for (String line : Files.readAllLines(file)) {
        Event.of(line).ifPresent(events::add);
      }
      return events;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
