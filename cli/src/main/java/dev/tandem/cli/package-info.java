/** The tandem command: parsing, rendering and exit codes; everything else is the engine's. */
@NullMarked
package dev.tandem.cli;

import org.jspecify.annotations.NullMarked;
