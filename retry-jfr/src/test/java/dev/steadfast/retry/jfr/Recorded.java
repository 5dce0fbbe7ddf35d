package dev.steadfast.retry.jfr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A recording, and its events of this module. */
final class Recorded implements AutoCloseable {
  static final String OPERATION = "dev.steadfast.Operation";
  static final String ATTEMPT = "dev.steadfast.Attempt";
  static final String WAIT = "dev.steadfast.Wait";

  private final Recording recording;

  private Recorded(Recording recording) {
    this.recording = recording;
    recording.start();
  }

  /** With the events that are on by default. */
  static Recorded byDefault() {
    return new Recorded(new Recording());
  }

  static Recorded with(String... events) {
    Recording recording = new Recording();
    List.of(OPERATION, ATTEMPT, WAIT).forEach(recording::disable);
    List.of(events).forEach(recording::enable);
    return new Recorded(recording);
  }

  static Recorded everything() {
    return with(OPERATION, ATTEMPT, WAIT);
  }

  /** The events of this module, in the order in which they began. */
  List<RecordedEvent> events(Path directory) throws IOException {
    recording.stop();
    Path file = Files.createTempFile(directory, "recorded", ".jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(each -> each.getEventType().getName().startsWith("dev.steadfast."))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .toList();
  }

  List<String> names(Path directory) throws IOException {
    return events(directory).stream().map(each -> each.getEventType().getName()).toList();
  }

  @Override
  public void close() {
    recording.close();
  }
}
