package dev.steadfast.retry.journal.cli;

import java.io.PrintStream;

/** The streams that a command writes to: one for its result, one for errors. */
record Output(PrintStream result, PrintStream error) {}
