package dev.steadfast.retry.tck;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The input of a {@link Scenario}. Written only while its row is being made. */
final class Setup {
  String name;
  int[] traps = {};
  HttpCall call = HttpCall.of("GET", "/");
  List<HttpCall> first = List.of();
  Map<String, String> inbound = Map.of();
  UnaryOperator<RetryPolicy.Builder> policy = builder -> builder;
  BiConsumer<HttpRetry.Builder, Running> setting = (builder, run) -> {};
  int tokens = 1_000;
  Consumer<CountingGuard> guard = unused -> {};
  Function<Running, List<Reply>> replies = run -> List.of();
  boolean refused;
  Follows follows = Follows.NOTHING;
  Interference interference = Interference.NONE;
  String keyHeader = "Idempotency-Key";
  Map<Scenario.At, Scenario.Action> actions = Map.of();

  Setup(String name) {
    this.name = name;
  }

  Setup(Setup other) {
    name = other.name;
    traps = other.traps;
    call = other.call;
    first = other.first;
    inbound = other.inbound;
    policy = other.policy;
    setting = other.setting;
    tokens = other.tokens;
    guard = other.guard;
    replies = other.replies;
    refused = other.refused;
    follows = other.follows;
    interference = other.interference;
    keyHeader = other.keyHeader;
    actions = other.actions;
  }

  boolean has(Scenario.Moment moment, int number) {
    return actions.containsKey(new Scenario.At(moment, number));
  }
}
