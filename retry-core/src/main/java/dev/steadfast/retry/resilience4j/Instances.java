package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.OriginTable;
import io.github.resilience4j.core.Registry;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where a guard gets its resilience4j objects from, and how it keeps them in bounded number.
 *
 * @param registry the user's registry, null if the objects are the guard's own
 * @param make makes an object, or gets it from the registry
 * @param idle whether an object may be forgotten
 * @param <E> what resilience4j makes
 */
record Instances<E>(
    @Nullable Registry<E, ?> registry, Function<String, E> make, Predicate<E> idle) {

  private record Held<E, G>(E instance, G guarded, boolean added) {}

  /** A table of what is made around the objects. */
  <G> Function<String, G> table(BiFunction<E, Boolean, G> around) {
    OriginTable<Held<E, G>> table =
        new OriginTable<>(
            new OriginTable.Values<>() {
              @Override
              public Held<E, G> create(String name, boolean fresh) {
                boolean added = registry == null || registry.find(name).isEmpty();
                E instance = make.apply(name);
                return new Held<>(instance, around.apply(instance, registry != null), added);
              }

              @Override
              public boolean forgettable(Held<E, G> held) {
                // What the user put into his registry is his, and stays.
                return held.added() && idle.test(held.instance());
              }

              @Override
              public void forgotten(String name, Held<E, G> held) {
                // If he has put another one in its place, that one stays.
                if (registry != null
                    && registry.find(name).filter(held.instance()::equals).isPresent()) {
                  registry.remove(name);
                }
              }
            });
    return name -> table.get(name).guarded();
  }
}
