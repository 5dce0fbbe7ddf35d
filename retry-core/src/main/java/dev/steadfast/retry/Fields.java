package dev.steadfast.retry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Atomic access to fields of objects of which every call makes one: no object for each field. */
final class Fields {
  private Fields() {}

  /** A handle of a volatile field of the class that looks it up. */
  static VarHandle atomic(MethodHandles.Lookup lookup, String field, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), field, type);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }
}
