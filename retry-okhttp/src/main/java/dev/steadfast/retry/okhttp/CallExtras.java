package dev.steadfast.retry.okhttp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * Extras that only few calls have.
 *
 * @param prototype a real call of the same request, never executed
 * @param each puts a listener or a tag of this call on the call of each attempt
 */
record CallExtras(@Nullable Call prototype, List<Consumer<Call>> each) {
  static final CallExtras NONE = new CallExtras(null, List.of());

  CallExtras with(Call made) {
    return new CallExtras(made, each);
  }

  CallExtras and(Consumer<Call> one) {
    List<Consumer<Call>> all = new ArrayList<>(each);
    all.add(one);
    return new CallExtras(prototype, List.copyOf(all));
  }
}
