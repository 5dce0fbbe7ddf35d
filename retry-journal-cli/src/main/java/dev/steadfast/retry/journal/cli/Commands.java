package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.Oversight;
import dev.steadfast.retry.journal.Oversight.Decision;
import dev.steadfast.retry.journal.Oversight.Entry;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The commands over one journal. */
final class Commands {
  private static final String DRY = "would be done; nothing was changed. Add --yes to do it";

  private final JdbcJournal journal;
  private final Oversight oversight;
  private final Arguments arguments;
  private final Writer writer;
  private final boolean dry;

  Commands(JdbcJournal journal, Arguments arguments, PrintStream out) {
    this.journal = journal;
    this.arguments = arguments;
    this.dry = !arguments.has("--yes");
    this.oversight = dry ? journal.oversight().dryRun() : journal.oversight();
    this.writer = new Writer(out, arguments.has("--json"));
  }

  int run() throws UsageException, IOException {
    String command = arguments.words().get(0);
    return switch (command) {
      case "status" -> status();
      case "list" -> list();
      case "show" -> show();
      case "park", "resume", "cancel" -> decide(command);
      case "settle" -> settle();
      case "purge" -> purge();
      default ->
          throw UsageException.bad(
              "command", command, "status, list, show, park, resume, settle, cancel or purge");
    };
  }

  private int status() throws IOException {
    Oversight.Totals totals = oversight.totals();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("due", totals.due());
    fields.put("dueForSeconds", totals.dueFor().toSeconds());
    fields.put("unknown", totals.unknown());
    fields.put("parked", totals.parked());
    fields.put("leftForSeconds", totals.leftFor().toSeconds());
    writer.fields(fields);
    return CommandLine.DONE;
  }

  private int list() throws UsageException, IOException {
    List<String> words = arguments.words();
    String which = words.size() > 1 ? words.get(1) : "nothing";
    int limit = arguments.limit();
    Oversight.Position after = arguments.after();
    List<Entry> page =
        switch (which) {
          case "overdue" -> oversight.overdue(since(), limit, after);
          case "parked" -> oversight.parked(limit, after);
          case "unknown" -> oversight.unknown(limit, after);
          default -> throw UsageException.bad("list", which, "overdue, parked or unknown");
        };
    writer.page(page, page.size() == limit ? page.get(limit - 1).position() : null);
    return CommandLine.DONE;
  }

  private Duration since() throws UsageException {
    return Arguments.time("--since", arguments.option("--since", "0s"));
  }

  private int show() throws UsageException, IOException {
    OperationJournal.Id id = arguments.id();
    Optional<Entry> found = oversight.find(id);
    if (found.isEmpty()) {
      return refused(id, "show", Decision.NOT_FOUND);
    }
    Map<String, @Nullable Object> fields = Shown.entry(found.get());
    if (arguments.has("--body")) {
      fields.putAll(exchange(id));
    }
    writer.fields(fields);
    return CommandLine.DONE;
  }

  // An encoded part cannot be shown: the keys of its codec stay with the application.
  private Map<String, @Nullable Object> exchange(OperationJournal.Id id) throws IOException {
    try {
      return oversight.exchange(id).map(Shown::exchange).orElse(Map.of());
    } catch (IOException failed) {
      if (!CommandLine.isUnreadable(failed)) {
        throw failed;
      }
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("unreadable", failed.getMessage());
      return fields;
    }
  }

  private int decide(String verb) throws UsageException, IOException {
    OperationJournal.Id id = arguments.id();
    Decision decision =
        switch (verb) {
          case "park" -> oversight.park(id);
          case "resume" -> oversight.resume(id, arguments.has("--force"));
          default -> oversight.cancel(id);
        };
    return decision == Decision.DONE ? done(id, verb) : refused(id, verb, decision);
  }

  private int settle() throws UsageException, IOException {
    OperationJournal.Id id = arguments.id();
    List<String> words = arguments.words();
    String word = words.size() > 3 ? words.get(3) : "nothing";
    Lookup lookup =
        switch (word) {
          case "applied" -> Lookup.APPLIED;
          case "not-applied-and-fenced" -> Lookup.NOT_APPLIED_AND_FENCED;
          default -> throw UsageException.bad("settle", word, "applied or not-applied-and-fenced");
        };
    if (dry ? oversight.isSettleable(id) : journal.settle(id, lookup)) {
      return done(id, "settle");
    }
    boolean there = oversight.find(id).isPresent();
    return refused(id, "settle", there ? Decision.NOTHING_TO_DO : Decision.NOT_FOUND);
  }

  private int done(OperationJournal.Id id, String verb) {
    writer.decision(Shown.id(id), verb, dry ? "WOULD_BE_DONE" : "DONE", dry ? DRY : "done");
    return CommandLine.DONE;
  }

  private int refused(OperationJournal.Id id, String verb, Decision decision) {
    writer.decision(Shown.id(id), verb, decision.name(), Reasons.of(verb, decision));
    return CommandLine.REFUSED;
  }

  private int purge() throws UsageException, IOException {
    List<String> words = arguments.words();
    Duration olderThan = Arguments.time("purge", words.size() > 1 ? words.get(1) : "nothing");
    int number = dry ? oversight.purgeable(olderThan) : journal.purge(olderThan);
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put(dry ? "wouldBeDeleted" : "deleted", number);
    writer.fields(fields);
    return CommandLine.DONE;
  }
}
