package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.internal.OriginTable;
import io.github.resilience4j.core.Registry;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The resilience4j objects of a guard, for a table.
 *
 * @param registry the user's registry, null if the objects are the guard's own
 * @param make makes an object, or gets it from the registry
 * @param around makes what the guard uses; told whether the object is in the user's registry
 * @param idle whether what the guard uses may be forgotten
 * @param <E> what resilience4j makes
 * @param <G> what the guard uses
 */
record Instances<E, G>(
    @Nullable Registry<E, ?> registry,
    Function<String, E> make,
    BiFunction<E, Boolean, G> around,
    Predicate<G> idle)
    implements OriginTable.Values<Instances.Held<E, G>> {

  /** An object; added if the user had not put it into the registry before. */
  record Held<E, G>(E instance, G guarded, boolean added) {}

  @Override
  public Held<E, G> create(String name, boolean fresh) {
    boolean added = registry == null || registry.find(name).isEmpty();
    E instance = make.apply(name);
    return new Held<>(instance, around.apply(instance, registry != null), added);
  }

  @Override
  public boolean forgettable(Held<E, G> held, boolean used) {
    // An instance that the user registered stays: only those that were made here are removed.
    return !used && held.added() && idle.test(held.guarded());
  }

  @Override
  public void forgotten(String name, Held<E, G> held) {
    // If the user has put another one in its place, that one stays.
    if (registry != null && registry.find(name).filter(held.instance()::equals).isPresent()) {
      registry.remove(name);
    }
  }
}
