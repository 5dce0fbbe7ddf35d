package dev.steadfast.retry.examples;

import dev.steadfast.retry.RetryReport;

/**
 * What the caller of a payment gets.
 *
 * @param status the status
 * @param report how it came about
 */
record Receipt(int status, RetryReport report) {

  boolean paid() {
    return status == 201;
  }
}
