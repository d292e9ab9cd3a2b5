/**
 * Tests of the command line. Most run a command inside the test's process through {@link dev.tandem.cli.CliRun}; what only
 * a real process shows is in {@link dev.tandem.cli.DistributionIT}. What does not belong here: tests of the engine.
 */
@NullMarked
package dev.tandem.cli;

import org.jspecify.annotations.NullMarked;
