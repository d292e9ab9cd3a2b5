/** The contracts that every backend and draft plugin has to pass. */
@NullMarked
package dev.tandem.testkit;

import org.jspecify.annotations.NullMarked;
