/** A driver that runs on the emulator, and whole-backend tests for whoever extends them with a vendor. */
@NullMarked
package dev.tandem.gpu.fake;

import org.jspecify.annotations.NullMarked;
