/** The dependency table and the bans of DESIGN.md as tests over the classes of every module. */
@NullMarked
package dev.tandem.cli.architecture;

import org.jspecify.annotations.NullMarked;
