package dev.steadfast.retry.ordinary;

/** Restricts a declared difference or a known defect: to an entry point, or to a policy. */
public sealed interface Scope permits Entry, Policy, Setting {
  /** Whether all of these scopes of a kind, if there are any, include the given run. */
  static boolean matches(Iterable<Scope> scopes, Entry entry, Policy policy) {
    return includes(scopes, Entry.class, entry)
        && includes(scopes, Policy.class, policy)
        && Setting.hold(scopes);
  }

  private static boolean includes(
      Iterable<Scope> scopes, Class<? extends Scope> kind, Scope wanted) {
    boolean restricted = false;
    for (Scope scope : scopes) {
      if (scope == wanted) {
        return true;
      }
      restricted |= kind.isInstance(scope);
    }
    return !restricted;
  }
}
