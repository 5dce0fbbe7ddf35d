package dev.steadfast.retry.journal.cli;

import java.io.PrintStream;

/** Where a command writes: its result, and what went wrong. */
record Output(PrintStream result, PrintStream error) {}
