/** The bridge between the core and the module of journaled operations; not part of the API. */
@NullMarked
package dev.steadfast.retry.http.journal;

import org.jspecify.annotations.NullMarked;
