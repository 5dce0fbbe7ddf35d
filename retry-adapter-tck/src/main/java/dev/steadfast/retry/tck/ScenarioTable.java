package dev.steadfast.retry.tck;

import java.util.List;
import java.util.stream.Stream;

/** All rows, theme by theme. */
final class ScenarioTable {
  private ScenarioTable() {}

  static List<Scenario> rows() {
    return Stream.of(
            StatusRows.rows(),
            EffectRows.rows(),
            UnsafeMethodRows.rows(),
            ErrorTypeRows.rows(),
            FirstEventRows.rows(),
            ServerDelayRows.rows(),
            BadServerDelayRows.rows(),
            SignalRows.rows(),
            KeyRows.rows(),
            HeaderRows.rows(),
            FailureRows.rows(),
            StaleRows.rows(),
            ResendRows.rows(),
            ClosedRows.rows(),
            InterceptorRows.rows(),
            BodyRows.rows(),
            AttemptRows.rows(),
            DeadlineRows.rows(),
            ScopeRows.rows(),
            BudgetRows.rows(),
            GuardRows.rows(),
            CancelRows.rows(),
            RaceRows.rows(),
            UserCodeRows.rows(),
            JournalRows.rows())
        .flatMap(List::stream)
        .toList();
  }
}
