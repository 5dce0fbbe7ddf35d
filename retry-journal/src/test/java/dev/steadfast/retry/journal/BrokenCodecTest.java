package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.ended;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.journal.StorageCodec.Part;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A codec of the user's that breaks its promise harms the row that it broke, and no other. */
class BrokenCodecTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();

  /** What it does instead. */
  enum Fault {
    NULL {
      @Override
      byte @Nullable [] instead() {
        return null;
      }
    },
    ERROR {
      @Override
      byte[] instead() {
        throw new NoClassDefFoundError("com/example/Keys");
      }
    },
    EXCEPTION {
      @Override
      byte[] instead() {
        throw new IllegalStateException("no key");
      }
    },
    EMPTY {
      @Override
      byte[] instead() {
        return new byte[0];
      }
    };

    abstract byte @Nullable [] instead();
  }

  /** Works, but for one part of one operation, from when it is told to break. */
  @SuppressWarnings("NullAway") // that it breaks the contract is the point
  private static final class Breaking implements StorageCodec {
    private final Fault fault;
    private final Part part;
    private boolean broken;

    Breaking(Fault fault, Part part) {
      this.fault = fault;
      this.part = part;
    }

    private boolean breaks(Place place) {
      return broken && place.part() == part && place.operation().key().equals("bad");
    }

    @Override
    public byte[] encode(Place place, byte[] plain) {
      return breaks(place) ? fault.instead() : plain.clone();
    }

    @Override
    public byte[] decode(Place place, byte[] encoded) {
      return breaks(place) ? fault.instead() : encoded.clone();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyThatCannotBeReadHoldsNobodyUp(Fault fault) throws Exception {
    TestDatabase database = JOURNALS.emptied(TestDatabase.Kind.POSTGRESQL);
    Breaking codec = new Breaking(fault, Part.KEY);
    JdbcJournal journal = JdbcJournal.builder(database.source()).codec(codec).build();
    for (String name : List.of("bad", "good")) {
      database.enlist(journal, intent(name), "");
    }
    codec.broken = true;
    List<String> sent = new ArrayList<>();
    journal.resume(sender((in, due) -> sent.add(due.id().key())), Which.DUE, 100);
    assertEquals(List.of("good"), sent);
  }

  @ParameterizedTest
  @EnumSource(names = {"NULL", "ERROR", "EXCEPTION"})
  void anAnswerThatCannotBeStoredDoesNotLoseTheEnd(Fault fault) throws Exception {
    TestDatabase database = JOURNALS.emptied(TestDatabase.Kind.POSTGRESQL);
    Breaking codec = new Breaking(fault, Part.ANSWER_BODY);
    codec.broken = true;
    JdbcJournal journal = JdbcJournal.builder(database.source()).codec(codec).build();
    ended(journal, intent("bad"), ending(State.SUCCEEDED));
    assertEquals("succeeded", database.state());
    assertEquals("201", database.column("status"));
  }

  @ParameterizedTest
  @EnumSource
  void aRequestThatCannotBeStoredIsRefused(Fault fault) throws Exception {
    TestDatabase database = JOURNALS.emptied(TestDatabase.Kind.POSTGRESQL);
    Breaking codec = new Breaking(fault, Part.REQUEST_BODY);
    codec.broken = true;
    JdbcJournal journal = JdbcJournal.builder(database.source()).codec(codec).build();
    assertThrows(IOException.class, () -> claim(journal, intent("bad")));
    assertEquals("0", database.query("select count(*) from steadfast_operation"));
  }
}
