package dev.steadfast.retry.engine;

/** The guards of an operation, which are asked before a retry. */
@FunctionalInterface
interface Admission {
  Admission FREE = nowNanos -> AdmissionTime.NOW;

  /** When the last of the guards admits an attempt. */
  AdmissionTime opening(long nowNanos);
}
