/**
 * Backends around a backend: they behave as hardware does on a bad day.
 *
 * <p>{@link dev.tandem.testkit.wrap.LameBackend} refuses some nodes, {@link dev.tandem.testkit.wrap.DyingBackend} fails
 * at a chosen call. Both extend {@link dev.tandem.testkit.wrap.WrappingBackend}, which hands every call on; so do the
 * broken fakes by which the kit tests itself. What does not belong here: arithmetic.
 */
@NullMarked
package dev.tandem.testkit.wrap;

import org.jspecify.annotations.NullMarked;
