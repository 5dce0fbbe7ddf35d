/** The command line of a journal, for a person on call. */
@NullMarked
package dev.steadfast.retry.journal.cli;

import org.jspecify.annotations.NullMarked;
