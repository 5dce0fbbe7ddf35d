package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line of turns against a sorted list. */
class TurnQueueTest {
  private static final int MANY = 100_000;

  private final PacedAccount account = new PacedAccount(new ConcurrentHashMap<>(), null);
  private final OperationInfo operation = OperationInfo.of("a", "GET a");
  private final TurnQueue line = new TurnQueue();

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 500, Long.MIN_VALUE})
  void anySequenceOfTurns(long startNanos) {
    SplittableRandom random = new SplittableRandom(3);
    List<Turn> model = new ArrayList<>();
    Comparator<Turn> order = Turn::compare;
    for (int step = 0; step < 20_000; step++) {
      boolean full = model.size() > 200;
      if (model.isEmpty() || (!full && random.nextInt(5) > 1)) {
        Turn turn = Turn.due(account, operation, step, startNanos + random.nextInt(1000));
        line.add(turn);
        model.add(turn);
        model.sort(order);
      } else {
        line.remove(model.remove(random.nextInt(model.size())));
      }
      long at = startNanos + random.nextInt(-1, 1002);
      long before = model.stream().filter(each -> each.atNanos - at < 0).count();
      assertEquals(before, line.before(at));
      assertEquals(model.size(), line.size());
      assertEquals(model.isEmpty() ? null : model.get(0), line.first());
      if (!model.isEmpty()) {
        int index = random.nextInt(model.size());
        assertEquals(model.get(index).atNanos, line.nanosOf(index));
      }
    }
  }

  @Test
  void aLineIsFlat_whateverTheOrderInWhichTurnsCome() {
    for (int step : new int[] {1, -1, 0}) {
      List<Turn> turns = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        turns.add(Turn.due(account, operation, i, (long) step * i));
      }
      turns.forEach(line::add);
      Turn deepest = turns.get(0);
      int depth = 0;
      for (Turn turn : turns) {
        int at = depth(turn);
        deepest = at > depth ? turn : deepest;
        depth = Math.max(depth, at);
      }
      assertTrue(depth < 100, "turns " + step + " ns apart lie " + depth + " deep");
      turns.forEach(line::remove);
      assertNull(line.first());
      line.remove(deepest); // is not there
      assertEquals(0, line.size());
    }
  }

  private int depth(Turn turn) {
    int depth = 0;
    Turn at = line.root();
    while (at != turn) {
      at = turn.compare(at) < 0 ? at.left : at.right;
      depth++;
    }
    return depth;
  }
}
