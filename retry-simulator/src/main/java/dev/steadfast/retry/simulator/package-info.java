/**
 * Discrete-event simulations on virtual time that drive the library's own policies, budgets,
 * breakers and gates. Models and their limits are described in docs/simulator.md.
 */
@NullMarked
package dev.steadfast.retry.simulator;

import org.jspecify.annotations.NullMarked;
