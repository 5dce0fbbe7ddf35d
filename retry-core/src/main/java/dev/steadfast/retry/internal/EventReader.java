package dev.steadfast.retry.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events byte by byte, as the HTML standard has them. It keeps the event that it
 * reads; whoever feeds it bounds its length. Confined to one thread at a time.
 */
final class EventReader {
  /**
   * One event.
   *
   * @param name the name, empty without one
   * @param data its lines, with a line feed between them
   */
  record Event(String name, String data) {}

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean begun; // the first line is over
  private boolean afterReturn; // a line feed belongs to the end of the line before
  private String name = "";
  private @Nullable StringBuilder data; // null: the event has none so far

  /** Takes one more byte. Returns the event that ends with it, null if none does. */
  @Nullable Event take(byte next) {
    boolean second = afterReturn && next == '\n';
    afterReturn = next == '\r';
    if (second) {
      return null;
    }
    if (next == '\r' || next == '\n') {
      return endOfLine();
    }
    line.write(next);
    return null;
  }

  /**
   * The stream is over. Returns the event that it ends with, null if there is none. The standard
   * drops an event without its blank line. Servers leave that out, and clients forgive it.
   */
  @Nullable Event end() {
    Event last = line.size() == 0 ? null : endOfLine();
    return last == null ? endOfEvent() : last;
  }

  private @Nullable Event endOfLine() {
    String text = new String(line.toByteArray(), UTF_8);
    line.reset();
    if (!begun && text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    begun = true;
    if (text.isEmpty()) {
      return endOfEvent();
    }
    int colon = text.indexOf(':');
    String field = colon < 0 ? text : text.substring(0, colon);
    String value = colon < 0 ? "" : text.substring(colon + 1);
    field(field, value.startsWith(" ") ? value.substring(1) : value);
    return null;
  }

  private void field(String field, String value) {
    if (field.equals("event")) {
      name = value;
    } else if (field.equals("data")) {
      StringBuilder lines = data;
      data = lines == null ? new StringBuilder(value) : lines.append('\n').append(value);
    } // others, and comments, whose field is empty, say nothing about the event
  }

  private @Nullable Event endOfEvent() {
    StringBuilder lines = data;
    Event event = lines == null ? null : new Event(name, lines.toString());
    name = "";
    data = null;
    return event;
  }
}
